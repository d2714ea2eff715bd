import { loadModule } from 'libpg-query';
import pg from 'pg';
import { isAboutUsers, problemsOf } from './query-rules.ts';
import { type Catalog, readCatalog } from './sql-catalog.ts';

/** In a statement that is meant for rows of all users, with the reason. */
const OF_ALL_USERS = /\/\* all users: [^*]+ \*\//;
/** Before a statement of a test on the connections of a service. */
export const OF_TEST = '/* test */ ';
/** How the pool of the service names its connections (src/database/database.ts). */
const SERVICE = 'steward';

/** Texts that services of this process have sent to Postgres, and those among them that were judged. */
const sent = new Set<string>();
const judged = new Set<string>();
let catalog: Catalog | undefined;

/** Collects the statements of all services from now on. */
export function collectStatements(): void {
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function collecting(this: pg.Client, ...args: unknown[]) {
    const [statement] = args as [string | { text?: string }];
    const text = typeof statement === 'string' ? statement : statement.text;
    if (text !== undefined && !text.startsWith(OF_TEST) && isOfService(this)) sent.add(text);
    return Reflect.apply(query, this, args);
  } as typeof query;
}

function isOfService(client: pg.Client): boolean {
  return (client as unknown as { connectionParameters: { application_name?: string } }).connectionParameters.application_name === SERVICE;
}

/**
 * Checks the statements that were sent since the last call: each addresses rows of users by the user's id, so that it finds
 * those of one user only, or says that and why it is for rows of all users, and then needs to.
 *
 * @returns a line for each that does not
 */
export async function judgeStatements(): Promise<string[]> {
  const fresh = [...sent].filter((text) => !judged.has(text));
  if (fresh.length === 0) return [];
  await loadModule();
  catalog ??= readCatalog();
  for (const text of fresh) judged.add(text);
  return fresh.flatMap((text) => problemsIn(text, catalog as Catalog));
}

/** @returns a line for each problem of a statement */
export function problemsIn(text: string, tables: Catalog): string[] {
  const problems = problemsOf(text, tables).map(({ verb, table }) => `${verb} ${table} without the user’s id`);
  if (!OF_ALL_USERS.test(text)) return problems.map((problem) => `${problem}: ${text}`);
  return problems.length === 0 && isAboutUsers(text, tables) ? [`says that it is for all users, and has the user’s id: ${text}`] : [];
}
