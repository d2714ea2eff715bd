// Checks that every statement on tables with rows of users has the user's id in its conditions, so that it finds the rows of
// one user only, on one node of a database that is distributed by users. Statements are collected from the sources and parsed
// as Postgres does. Prints each that lacks the id and has no exception, and exits with 1.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { loadModule } from 'libpg-query';
import { EXCEPTIONS, UNREAD } from './query-exceptions.ts';
import { problemsOf } from './query-rules.ts';
import { readCatalog } from './schema-catalog.ts';
import { SourceFiles } from './source-files.ts';
import { type SqlStatement, statementsOf } from './sql-statements.ts';

await loadModule();
const root = join(import.meta.dirname, '..');
const catalog = readCatalog(join(root, 'migrations'));
const all = globSync('src/**/*.ts', { cwd: root }).sort();
const files = new SourceFiles(root, all);
const statements = all.filter((file) => /-repository\.ts$|^src\/database\//.test(file)).flatMap((file) => statementsOf(files, file));

const allowed = new Set(Object.values(EXCEPTIONS).flat());
const needed = new Set<string>();
const problems = statements.flatMap((statement) => {
  const name = `${statement.file} ${statement.name}`;
  const found = problemsIn(statement);
  if (found.length > 0) needed.add(name);
  return allowed.has(name) || UNREAD.has(name)
    ? []
    : found.map((problem) => `${statement.file}:${statement.line} ${statement.name} ${problem}`);
});
for (const name of [...allowed, ...UNREAD.keys()]) {
  if (!needed.has(name)) problems.push(`${name} is an exception in scripts/query-exceptions.ts and needs none`);
}

function problemsIn({ text }: SqlStatement): string[] {
  if (text === undefined) return ['composes SQL of what only the running program knows: write it out, or name it in UNREAD'];
  return problemsOf(text, catalog).map(({ verb, table }) => `${verb} ${table} without the user’s id`);
}

for (const problem of new Set(problems)) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${statements.length} statements: those on users’ rows have the user’s id, or are one of ${allowed.size} exceptions.`);
