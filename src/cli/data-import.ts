import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { columnsOf, finishTransfer, lockEmpty, schemaOf, TRANSFERRED, writeRows } from '../database/table-transfer.ts';
import type { TableName } from '../database/tables.ts';
import { StartError } from '../errors.ts';
import { checkKeys } from '../vault/rotation/check-keys.ts';
import { command, withSession } from './command.ts';
import { type DataRow, damaged, decode } from './data-format.ts';
import { keyringOf } from './keys-deps.ts';
import { Progress } from './progress.ts';

const BATCH_ROWS = 500;
const BATCH_CHARACTERS = 4_000_000;

/** `data import`. */
export const importData = command('import', 'Reads an exported file into an empty database, completely or not at all.')
  .argument('<file>', 'file that export has written')
  .action(
    withSession(async (session, file: string) => {
      const keyring = keyringOf(session);
      const db = await session.database();
      const progress = new Progress('rows', 0);
      const rows = await db.transaction(async (tx) => {
        await lockEmpty(tx);
        const schema = await schemaOf(tx);
        const columns = new Map<TableName, Set<string>>();
        for (const table of TRANSFERRED) columns.set(table, await columnsOf(tx, table));
        let count = 0;
        await readFile(file, async (bytes) => {
          for await (const { table, rows } of batches(decode(bytes, schema, columns))) {
            session.signal.throwIfAborted();
            await writeRows(tx, table, columns, rows);
            count += rows.length;
            progress.advance(rows.length);
          }
        });
        await finishTransfer(tx);
        // Before the commit: without their keys the rows can't be decrypted.
        await checkKeys(tx, keyring);
        return count;
      });
      progress.end();
      session.print(`${rows} rows imported.`);
    }),
  );

/** @throws StartError when the file can't be read, or is not gzip */
async function readFile(path: string, consume: (bytes: AsyncIterable<Buffer>) => Promise<void>): Promise<void> {
  try {
    await pipeline(createReadStream(path), createGunzip(), consume);
  } catch (error) {
    const { code = '', syscall } = error as NodeJS.ErrnoException;
    if (code.startsWith('Z_')) throw damaged('it is not a gzip file, or it is truncated');
    throw syscall === undefined ? error : new StartError(`${path} can't be read (${code}).`);
  }
}

interface Batch {
  table: TableName;
  rows: string[];
}

/** Groups of rows of one table, each for one statement. */
async function* batches(rows: AsyncIterable<DataRow>): AsyncGenerator<Batch> {
  let batch: Batch | undefined;
  let characters = 0;
  for await (const { table, row } of rows) {
    if (batch === undefined || batch.rows.length === BATCH_ROWS || characters > BATCH_CHARACTERS || batch.table !== table) {
      if (batch !== undefined) yield batch;
      batch = { table, rows: [] };
      characters = 0;
    }
    batch.rows.push(row);
    characters += row.length;
  }
  if (batch !== undefined) yield batch;
}
