import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { reportFile, writeReport } from '../support/runner/write-report.ts';
import { KINDS, type Kind } from './conditions.ts';
import type { Outcome } from './suite-run.ts';

const NAME = 'tests.md';
const SLOWEST = 30;
const SHOWN_FAILURES = 5;
const HEAD = ['Kind', 'Run', 'Commit', 'Clock and order', 'Seed', 'Tests', 'Failed', 'Seconds'];
const FAILED = HEAD.indexOf('Failed');
const NONE = 'none';
const DURATIONS = '\n## Durations by file\n';

/** The runs as a Markdown table. */
export function tableOf(outcomes: readonly Outcome[]): string {
  return markdown(HEAD, outcomes.map(cellsOf));
}

/**
 * Writes docs/reports/tests.md. Rows of kinds that were not run this time stay as they are.
 *
 * @param runs how many there are to be of each kind
 */
export function keep(outcomes: readonly Outcome[], runs: number): void {
  const before = existsSync(reportFile(NAME)) ? readFileSync(reportFile(NAME), 'utf8') : '';
  const rows = KINDS.flatMap((kind) => {
    const ran = outcomes.filter((outcome) => outcome.kind === kind);
    return ran.length > 0 ? ran.map(cellsOf) : rowsIn(before, kind);
  });
  const green = rows.filter((row) => row[FAILED] === NONE).length;
  const missing = KINDS.length * runs - rows.length;
  const files = durations(outcomes) ?? before.split(DURATIONS)[1];
  const text = `# Test suite results

Results of \`npm run test:repeat\`, which runs \`npm test\` ${KINDS.length * runs} times: as it is, with two busy loops beside, in another zone with files in random order, and with the clocks of all processes and of Postgres at the end of a month. On ${cpus().length} cores, ${green} of ${rows.length} runs were green${missing > 0 ? `; ${missing} are missing` : ''}.

${markdown(HEAD, rows)}

The seed is that of the property tests and of the order of files: \`SEED=<seed> npm test\` repeats the first.
${files === undefined ? '' : DURATIONS + files}`;
  writeReport(NAME, text);
}

function cellsOf({ kind, number, commit, note, seed, tests, failed, isGreen, seconds }: Outcome): string[] {
  const shown = failed.slice(0, SHOWN_FAILURES).map((name) => name.replaceAll('|', '\\|'));
  const more = failed.length > SHOWN_FAILURES ? [`${failed.length - SHOWN_FAILURES} more`] : [];
  const failures = isGreen ? NONE : [...shown, ...more].join('<br>');
  return [kind, String(number), commit, note, String(seed), String(tests), failures, String(seconds)];
}

function rowsIn(report: string, kind: Kind): string[][] {
  const rows = report.split('\n').map((line) => line.split(/(?<!\\)\|/).slice(1, -1));
  return rows.map((row) => row.map((cell) => cell.trim())).filter(([first]) => first === kind);
}

/** Of the plain runs, if there are any. */
function durations(outcomes: readonly Outcome[]): string | undefined {
  const files = slowest(outcomes);
  if (files.length === 0) return undefined;
  return `
The ${SLOWEST} slowest of ${files.length} files, median of the plain runs. Six files run at a time; one that runs on both databases has the sum.

${markdown(['File', 'Seconds'], files.slice(0, SLOWEST))}
`;
}

/** Files and seconds of the plain runs. */
function slowest(outcomes: readonly Outcome[]): [string, string][] {
  const plain = outcomes.filter(({ kind }) => kind === 'plain');
  const names = new Set(plain.flatMap(({ files }) => [...files.keys()]));
  const medians = [...names].map((name) => [name, median(plain.flatMap(({ files }) => files.get(name) ?? []))] as const);
  return medians.toSorted(([, one], [, other]) => other - one).map(([name, ms]) => [`\`${name}\``, (ms / 1000).toFixed(1)]);
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
