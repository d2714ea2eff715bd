import { runProgram } from './command.ts';
import { eraseUsers, listDeletions } from './data-erase.ts';
import { exportData } from './data-export.ts';
import { importData } from './data-import.ts';

await runProgram({
  name: 'data',
  summary: 'all of the service’s data, out of one database and into another',
  commands: { export: exportData, import: importData, deletions: listDeletions, erase: eraseUsers },
});
