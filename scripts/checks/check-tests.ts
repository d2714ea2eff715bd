// Checks that tests wait for events and never for a time, depend neither on the date nor on chance, and compare messages with
// expressions that are matched. Prints each place that does not as file:line and exits with 1. Tests get time from the clock
// that they inject (test/support/time/test-clock.ts), wait by test/support/time/eventually.ts, and draw from
// test/support/runner/property.ts.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lineOf, nodesOf, type SyntaxNode } from '../syntax.ts';

/** Suites that a person runs beside the tests: they strike at real moments, measure, or repeat other projects' programs. */
const SUITES = ['test/faults/', 'test/mutants/', 'test/repeat/', 'test/security/', 'test/injection/', 'test/judges/', 'test/automations/'];

/** Files that may, each with its reason. */
const ALLOWED: Record<string, string> = {
  'test/support/time/eventually.ts': 'is how all others wait',
  'test/support/time/test-clock.ts': 'goes with the machine’s clock',
  'test/support/database/watch-postgres.ts': 'watches the server of the run',
  'test/support/runner/property.ts': 'gives fast-check its seed',
  'test/support/time/machine-date.ts': 'sets the date of libraries that date by the machine’s',
  'test/support/processes/turn-meter.ts': 'measures, for npm run bench:stalls',
};

const CALLS = new Set(['setTimeout', 'setInterval', 'sleep']);
const MEMBERS =
  /^(?:Date\.now|performance\.now|Math\.random|AbortSignal\.timeout|process\.hrtime|vi\.useFakeTimers|systemClock\.(?:sleep|after|every))$/;
const CLOCKS = /^(?:Date|performance)$/;

const root = join(import.meta.dirname, '../..');
const files = globSync('test/**/*.ts', { cwd: root })
  .filter((file) => !SUITES.some((suite) => file.startsWith(suite)))
  .sort();
const found = files.map((file) => ({ file, problems: problemsOf(file, readFileSync(join(root, file), 'utf8')) }));
const problems = found.flatMap(({ file, problems }) => (file in ALLOWED ? [] : problems));
for (const file of Object.keys(ALLOWED)) {
  const needsIt = found.some((one) => one.file === file && one.problems.length > 0);
  if (!needsIt) problems.push(`${file}:1 is allowed in scripts/checks/check-tests.ts and needs no exception`);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${files.length} files of tests: none waits for a time, or depends on the date or on chance.`);

function problemsOf(file: string, source: string): string[] {
  return nodesOf(file, source).flatMap((node) => {
    const problem = problemOf(node, (one) => source.slice((one as SyntaxNode).start, (one as SyntaxNode).end));
    return problem === undefined ? [] : [`${file}:${lineOf(source, node.start)} ${problem}`];
  });
}

/** @param textOf the source of a node */
function problemOf(node: SyntaxNode, textOf: (node: unknown) => string): string | undefined {
  const { type, callee, source, arguments: given = [], key, value } = node as SyntaxNode & { arguments?: SyntaxNode[]; key?: unknown };
  if (type === 'ImportDeclaration') return problemOfImport(textOf(source).slice(1, -1), textOf(node));
  if (type === 'NewExpression' && textOf(callee) === 'Date' && given.length === 0) return 'new Date(): use the clock';
  if (type === 'MemberExpression' && MEMBERS.test(textOf(node))) return `${textOf(node)}: ${adviceOn(textOf(node))}`;
  if (type === 'CallExpression' && CALLS.has(textOf(callee))) return `${textOf(callee)}(): wait for an event, or advance the clock`;
  if (type === 'CallExpression' && textOf(callee) === 'vi.spyOn' && CLOCKS.test(textOf(given[0]))) return 'a spy on time: inject a clock';
  if (type === 'Property' && textOf(key) === 'message' && (value as { regex?: unknown } | undefined)?.regex !== undefined)
    return 'message: toMatchObject takes any text for an expression: use expect.stringMatching';
  const isText = (type === 'Literal' && typeof value === 'string') || type === 'TemplateElement';
  return isText && /\bpg_sleep\b/.test(textOf(node)) ? 'pg_sleep: hold a lock or a transaction instead' : undefined;
}

function problemOfImport(module: string, text: string): string | undefined {
  if (/^(?:node:)?timers(?:\/promises)?$/.test(module) && /\b(?:setTimeout|setInterval|scheduler)\b/.test(text))
    return `${module}: a wait for a time`;
  return module === 'fast-check' ? 'fast-check: import it from test/support/runner/property.ts, which gives it the seed' : undefined;
}

function adviceOn(name: string): string {
  return name === 'Math.random' ? 'draw from the seed' : 'use the clock';
}
