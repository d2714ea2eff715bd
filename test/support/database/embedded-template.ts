import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockDataDirectory } from '../../../src/database/data-lock.ts';
import { startEmbeddedDatabase } from '../../../src/database/embedded.ts';
import { StartError } from '../../../src/errors.ts';
import { eventually } from '../time/eventually.ts';
import { installSchema } from './install-schema.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CACHE = join(ROOT, 'node_modules/.cache/steward-tests');
/** What decides how the files of a template look. */
const SOURCES = [
  'node_modules/@electric-sql/pglite/package.json',
  'node_modules/pg-boss/package.json',
  'src/database/embedded.ts',
  'src/database/partitions.ts',
];

/** Copies an embedded database with the schema and the job queue in it to a data folder: creating one takes seconds. */
export async function copyEmbeddedTemplate(dataDir: string): Promise<void> {
  const template = join(CACHE, `embedded-${fingerprint()}`);
  await provideTemplate(template);
  cpSync(template, join(dataDir, 'database'), { recursive: true });
}

/** Makes the template unless there is one: the first worker that needs it does, and others wait for it. */
async function provideTemplate(template: string): Promise<void> {
  await eventually(async () => {
    const unlock = existsSync(template) ? undefined : tryLock();
    if (unlock !== undefined) await makeTemplate(template).finally(unlock);
    return existsSync(template);
  });
}

function tryLock(): (() => void) | undefined {
  try {
    return lockDataDirectory(CACHE);
  } catch (error) {
    if (error instanceof StartError) return undefined;
    throw error;
  }
}

function fingerprint(): string {
  const migrations = readdirSync(join(ROOT, 'migrations')).toSorted();
  const hash = createHash('sha256');
  for (const file of [...SOURCES, ...migrations.map((name) => `migrations/${name}`)]) hash.update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
}

async function makeTemplate(template: string): Promise<void> {
  // Another worker may have made it just before this one had the lock.
  if (existsSync(template)) return;
  for (const name of readdirSync(CACHE)) if (name.startsWith('embedded-')) rmSync(join(CACHE, name), { recursive: true, force: true });
  const draft = `${template}-draft`;
  const { address, close } = await startEmbeddedDatabase(draft, 1);
  try {
    await installSchema(address, true);
  } finally {
    await close();
  }
  renameSync(draft, template);
}
