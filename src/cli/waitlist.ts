import { once } from 'node:events';
import { waitlistCsv } from '../waitlist/waitlist-csv.ts';
import { command, runProgram, withSession } from './command.ts';
import { writeWhole } from './output-file.ts';
import type { Session } from './session.ts';

const exportCsv = command('export', 'Writes the addresses as CSV. On Postgres, the service may be running.')
  .option('-o, --output <file>', 'file to write, replaced if it exists (default: standard output)')
  .action(
    withSession(async (session, { output }: { output?: string }) => {
      const csv = untilAborted(waitlistCsv(await session.database()), session.signal);
      if (output !== undefined) await writeWhole(output, csv);
      else for await (const part of csv) if (!process.stdout.write(part)) await once(process.stdout, 'drain');
    }),
  );

async function* untilAborted(parts: AsyncIterable<string>, signal: Session['signal']): AsyncGenerator<string> {
  for await (const part of parts) {
    signal.throwIfAborted();
    yield part;
  }
}

await runProgram('waitlist', 'Exports the waitlist.', [exportCsv]);
