import { createHash, randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { startEmbeddedDatabase } from '../../src/database/embedded.ts';
import { installSchema } from './install-schema.ts';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/steward-tests');
/** What decides how the files of a template look. */
const SOURCES = ['node_modules/@electric-sql/pglite/package.json', 'node_modules/pg-boss/package.json', 'src/database/embedded.ts'];

/** Copies an embedded database with the schema and the job queue in it to a data folder: creating one takes seconds. */
export async function copyEmbeddedTemplate(dataDir: string): Promise<void> {
  const template = join(CACHE, `embedded-${fingerprint()}`);
  if (!existsSync(template)) await makeTemplate(template);
  cpSync(template, join(dataDir, 'database'), { recursive: true });
}

function fingerprint(): string {
  const migrations = readdirSync(join(ROOT, 'migrations')).toSorted();
  const hash = createHash('sha256');
  for (const file of [...SOURCES, ...migrations.map((name) => `migrations/${name}`)]) hash.update(readFileSync(join(ROOT, file)));
  return hash.digest('hex').slice(0, 16);
}

/** Two workers may both make one: whichever ends first leaves its own. */
async function makeTemplate(template: string): Promise<void> {
  if (existsSync(CACHE)) for (const old of outdated(template)) rmSync(old, { recursive: true, force: true });
  const draft = `${template}-${randomBytes(4).toString('hex')}`;
  mkdirSync(draft, { recursive: true });
  const { address, close } = await startEmbeddedDatabase(draft, 1);
  try {
    await installSchema(address, true);
  } finally {
    await close();
  }
  try {
    renameSync(draft, template);
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (!existsSync(template)) throw error;
  }
}

/** Templates of other migrations and versions. Drafts of the present one may be another worker's. */
function outdated(template: string): string[] {
  return readdirSync(CACHE)
    .map((name) => join(CACHE, name))
    .filter((path) => !path.startsWith(template));
}
