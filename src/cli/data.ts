import { runProgram } from './command.ts';
import { eraseUsers, listDeletions } from './data-erase.ts';
import { exportData } from './data-export.ts';
import { importData } from './data-import.ts';

await runProgram('data', 'Moves all data of the service from one database to another, and deletes users.', [
  exportData,
  importData,
  listDeletions,
  eraseUsers,
]);
