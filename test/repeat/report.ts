import { cpus } from 'node:os';
import { writeReport } from '../support/write-report.ts';
import type { Outcome } from './suite-run.ts';

const SLOWEST = 30;
const SHOWN_FAILURES = 5;

/** The runs as a Markdown table. */
export function tableOf(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map(({ number, kind, note, seed, tests, failed, isGreen, seconds }) => {
    const shown = failed.slice(0, SHOWN_FAILURES).map((name) => name.replaceAll('|', '\\|'));
    const more = failed.length > SHOWN_FAILURES ? [`${failed.length - SHOWN_FAILURES} more`] : [];
    return [number, kind, note, seed, tests, isGreen ? 'none' : [...shown, ...more].join('<br>'), seconds];
  });
  return markdown(['Run', 'Kind', 'Clock and order', 'Seed', 'Tests', 'Failed', 'Seconds'], rows);
}

/** Writes docs/reports/tests.md. @param planned how many runs there are to be */
export function keep(outcomes: readonly Outcome[], planned: number): void {
  const green = outcomes.filter(({ isGreen }) => isGreen).length;
  const text = `# Test suite results

Results of \`npm run test:repeat\`, which runs \`npm test\` ${planned} times: as it is, with two busy loops beside, in another zone with files in random order, and with the clocks of all processes and of Postgres at the end of a month. On ${cpus().length} cores, ${green} of ${outcomes.length} runs were green${outcomes.length < planned ? `; ${planned - outcomes.length} are missing` : ''}.

${tableOf(outcomes)}

The seed is that of the property tests and of the order of files: \`SEED=<seed> npm test\` repeats the first.

## Durations by file

The ${SLOWEST} slowest of ${slowest(outcomes).length} files, median of the plain runs. Six files run at a time; one that runs on both databases has the sum.

${markdown(['File', 'Seconds'], slowest(outcomes).slice(0, SLOWEST))}
`;
  writeReport('tests.md', text);
}

/** Files and seconds of the plain runs. */
function slowest(outcomes: readonly Outcome[]): [string, string][] {
  const plain = outcomes.filter(({ kind }) => kind === 'plain');
  const names = new Set(plain.flatMap(({ files }) => [...files.keys()]));
  const durations = [...names].map((name) => [name, median(plain.flatMap(({ files }) => files.get(name) ?? []))] as const);
  return durations.toSorted(([, one], [, other]) => other - one).map(([name, ms]) => [`\`${name}\``, (ms / 1000).toFixed(1)]);
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

function markdown(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
