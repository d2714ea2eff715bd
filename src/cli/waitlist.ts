import { once } from 'node:events';
import { waitlistCsv } from '../waitlist/waitlist-csv.ts';
import { defineCommand, runProgram } from './command.ts';
import { writeWhole } from './output-file.ts';
import type { Session } from './session.ts';

const exportCsv = defineCommand({
  usage: '[--output <file>]',
  summary: 'the addresses as CSV, to standard output or a file; works while the service runs on Postgres',
  options: { output: { type: 'string', short: 'o' } },
  async run(session, { values: { output } }) {
    const csv = untilAborted(waitlistCsv(await session.database()), session.signal);
    if (output !== undefined) await writeWhole(output, csv);
    else for await (const part of csv) if (!process.stdout.write(part)) await once(process.stdout, 'drain');
  },
});

async function* untilAborted(parts: AsyncIterable<string>, signal: Session['signal']): AsyncGenerator<string> {
  for await (const part of parts) {
    signal.throwIfAborted();
    yield part;
  }
}

await runProgram({ name: 'waitlist', summary: 'the addresses that wait', commands: { export: exportCsv } });
