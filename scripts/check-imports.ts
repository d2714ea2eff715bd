// Checks the rules of src/ and sandbox/ that the linter can't express, the source of time among them; the others are in
// biome.imports.json. Prints each violation as file:line and exits with 1.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENVIRONMENT_READER, LAYERS } from './layers.ts';
import { lineOf, nodesOf, type SyntaxNode } from './syntax.ts';

const SQL =
  /^\s*(?:select\s[\s\S]*?(?:\bfrom\b|\(|\d)|insert\s+into\s|update\s+\w+\s[\s\S]*?\bset\b|delete\s+from\s|with\s+\w+\s+as\s|(?:create|alter|drop|truncate)\s+(?:table|index|schema|type|database)\s|(?:begin|commit|rollback)\s*$|[\s\S]*\bwhere\b[\s\S]*=\s*\$\d)/i;
const SQL_HOME = /^src\/(database\/.*|.*-repository\.ts)$/;
/** Prose begins with one capital letter, SQL with none or with all. */
const PROSE = /^\s*[A-Z][a-z]/;
const SUPPRESSION = /biome-ignore(?:-\w+)? lint\/(?:style\/(?:noRestrictedImports|noProcessEnv)|suspicious\/noImportCycles)/g;
/** Its import of the sandbox is the one exception to the rules. */
const SANDBOX_LOADER = 'src/main.ts';
const CLOCK_HOME = 'src/clock/';
/** Files that take time from the machine, each with its reason. */
const BY_THE_MACHINE: Record<string, string> = {
  'src/cli/keys-deps.ts': 'a command has nothing to inject from',
  'src/cli/session.ts': 'a command has nothing to inject from',
  'src/database/database.ts': 'its default, for commands',
  'src/database/statement-batcher.ts': 'gathers over a few turns of the event loop',
  'src/main.ts': 'stops a process that hangs',
  'src/oauth/entry-adapter.ts': 'the library judges by the machine’s date',
  'src/rate-limit/loop-utilisation.ts': 'measures the event loop',
  'src/server.ts': 'its default',
  'src/threads/off-thread.ts': 'its default',
  'src/threads/own-thread.ts': 'watches the memory of a thread',
};
const TIME = /^(?:Date\.now|performance\.now|process\.hrtime|AbortSignal\.timeout)$/;
const TIMERS = /^(?:setTimeout|setInterval)$/;

const root = join(import.meta.dirname, '..');
const rooms = new Set(LAYERS.flatMap((layer) => Object.keys(layer.rooms)));
const files = globSync(['src/**/*.ts', 'sandbox/**/*.ts'], { cwd: root }).sort();
const timed = new Set<string>();
const problems = files.flatMap((file) => [...problemsOfPath(file), ...problemsOfSource(file, readFileSync(join(root, file), 'utf8'))]);
for (const file of Object.keys(BY_THE_MACHINE)) {
  if (!timed.has(file)) problems.push(`${file}:1 is an exception in scripts/check-imports.ts and needs none`);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${files.length} files: each is in a layer, with SQL, the environment and the machine’s time where they belong.`);

/** The linter's rules are written for the rooms of layers.ts, at most two folders deep. */
function problemsOfPath(file: string): string[] {
  const [top, room = '', ...rest] = file.split('/');
  if (top === 'src' && !rooms.has(room)) return [`${file}:1 is in no layer of scripts/layers.ts`];
  return rest.length > 2 || (top === 'sandbox' && rest.length > 1) ? [`${file}:1 is too deep: no import rule applies to it`] : [];
}

function problemsOfSource(file: string, source: string): string[] {
  const inSource = nodesOf(file, source).flatMap((node) => {
    const problem = problemOf(file, source, node);
    return problem === undefined ? [] : [`${file}:${lineOf(source, node.start)} ${problem}`];
  });
  const suppressions = file === SANDBOX_LOADER ? [] : [...source.matchAll(SUPPRESSION)];
  return [...inSource, ...suppressions.map(({ index }) => `${file}:${lineOf(source, index)} an import rule is suppressed`)];
}

function problemOf(file: string, source: string, node: SyntaxNode): string | undefined {
  if (node.type === 'TSImportType' && /\(\s*['"]\./.test(source.slice(node.start, node.end))) {
    return 'a type is imported by import(), which the linter doesn’t see: use import type';
  }
  if (file !== ENVIRONMENT_READER && readsEnvironment(node, source)) return `process.env only in ${ENVIRONMENT_READER}`;
  if (!SQL_HOME.test(file) && isSql(node, source)) return 'SQL only in *-repository.ts and database/';
  if (file.startsWith('src/') && !file.startsWith(CLOCK_HOME) && takesTime(node, (one) => source.slice(one.start, one.end))) {
    timed.add(file);
    return file in BY_THE_MACHINE ? undefined : 'time comes from the injected clock (src/clock/clock.ts)';
  }
  return undefined;
}

/** @param textOf the source of a node */
function takesTime(node: SyntaxNode, textOf: (node: SyntaxNode) => string): boolean {
  const { type, callee, source, arguments: given = [] } = node as SyntaxNode & { arguments?: SyntaxNode[] };
  if (type === 'MemberExpression') return TIME.test(textOf(node));
  if (type === 'CallExpression') return TIMERS.test(textOf(callee as SyntaxNode));
  if (type === 'NewExpression') return textOf(callee as SyntaxNode) === 'Date' && given.length === 0;
  if (type !== 'ImportDeclaration') return false;
  const isTimers = /^'(?:node:)?timers(?:\/promises)?'$/.test(textOf(source as SyntaxNode));
  return isTimers ? /\b(?:setTimeout|setInterval|scheduler)\b/.test(textOf(node)) : /\bsystemClock\b/.test(textOf(node));
}

/** `const { env } = process` and `process[name]`; the linter detects the rest. */
function readsEnvironment({ type, init, id, object, computed, property }: SyntaxNode, source: string): boolean {
  const isProcess = (node: unknown) => (node as SyntaxNode | null)?.type === 'Identifier' && (node as { name?: string }).name === 'process';
  if (type === 'MemberExpression') return computed === true && isProcess(object) && (property as SyntaxNode).type !== 'Literal';
  if (type !== 'VariableDeclarator' || !isProcess(init)) return false;
  const { start, end } = id as SyntaxNode;
  return /\benv\b/.test(source.slice(start, end));
}

function isSql({ type, start, end }: SyntaxNode, source: string): boolean {
  if (type !== 'Literal' && type !== 'TemplateLiteral') return false;
  const text = source.slice(start + 1, end - 1);
  return !PROSE.test(text) && SQL.test(text);
}
