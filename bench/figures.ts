/** Measurements of the service and of its reference, taken in pairs in one run. */
export interface Figure {
  label: string;
  unit: string;
  service: number[];
  /** Entry n was measured right before or right after the service's entry n. */
  reference: number[];
  /** Of the median ratio, or (absolute) of the service's own median; none = for information. */
  goal?: { kind: 'at least' | 'at most'; value: number; of: 'ratio' | 'service' };
}

/** The middle of the values, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Service divided by reference, pair by pair: a disturbance of some seconds affects both of a pair. */
export function ratios(figure: Figure): number[] {
  return figure.service.map((value, index) => value / (figure.reference[index] ?? Number.NaN));
}

/** Whether the goal is met; undefined = there is none. */
export function isMet(figure: Figure): boolean | undefined {
  if (figure.goal === undefined) return undefined;
  const reached = median(figure.goal.of === 'ratio' ? ratios(figure) : figure.service);
  return figure.goal.kind === 'at least' ? reached >= figure.goal.value : reached <= figure.goal.value;
}

const HEADER = ['', 'service', 'reference', 'ratio', 'min – max', 'pairs', 'goal'];

/** The table that `npm run bench` prints: medians, and of the ratio also the spread. */
export function formatTable(figures: readonly Figure[]): string {
  const rows = [HEADER, ...figures.map(formatRow)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const lines = rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))),
  );
  lines.splice(
    1,
    0,
    widths.map((width) => '-'.repeat(width)),
  );
  return lines.map((cells) => cells.join('  ').trimEnd()).join('\n');
}

function formatRow(figure: Figure): string[] {
  const all = ratios(figure);
  return [
    `${figure.label}, ${figure.unit}`,
    number(median(figure.service)),
    number(median(figure.reference)),
    median(all).toFixed(2),
    `${Math.min(...all).toFixed(2)} – ${Math.max(...all).toFixed(2)}`,
    String(all.length),
    formatGoal(figure),
  ];
}

function formatGoal(figure: Figure): string {
  const { goal } = figure;
  if (goal === undefined) return '';
  const sign = goal.kind === 'at least' ? '≥' : '≤';
  const value = goal.of === 'ratio' ? goal.value.toFixed(1) : `${goal.value} ${figure.unit}`;
  return `${sign} ${value} ${isMet(figure) === true ? 'met' : 'goal not met'}`;
}

function number(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en-GB') : value.toPrecision(3);
}
