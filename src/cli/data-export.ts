import { createGzip } from 'node:zlib';
import type { Queryable } from '../database/database.ts';
import { estimateRows, readRows, schemaOf, TRANSFERRED } from '../database/table-transfer.ts';
import { command, withSession } from './command.ts';
import { type DataRow, encode } from './data-format.ts';
import { writeWhole } from './output-file.ts';
import { Progress } from './progress.ts';

/** `data export`. */
export const exportData = command('export', 'Writes all data as of one moment to a file; what is encrypted stays so.')
  .argument('<file>', 'file to write (gzip), replaced if it exists')
  .action(
    withSession(async (session, file: string) => {
      const db = await session.database();
      await db.snapshot(async (tx) => {
        const progress = new Progress('rows', await estimateRows(tx));
        const rows = allRows(tx, session.signal, progress);
        await writeWhole(file, encode(await schemaOf(tx), rows, session.clock.now()), [createGzip()]);
        progress.end(true);
      });
    }),
  );

async function* allRows(tx: Queryable, signal: AbortSignal, progress: Progress): AsyncGenerator<DataRow[]> {
  for (const table of TRANSFERRED) {
    for await (const rows of readRows(tx, table)) {
      signal.throwIfAborted();
      yield rows.map((row) => ({ table, row }));
      progress.advance(rows.length);
    }
  }
}
