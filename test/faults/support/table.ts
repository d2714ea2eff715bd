/** One line of the result. */
export interface Row {
  fault: string;
  moment: string;
  /** Operations begun (or processes killed) during the fault, and how many of them succeeded. */
  tried: number;
  answered: number;
  /** Lost in a documented way: what, a colon, and the reason. */
  documented: string[];
  lost: string[];
  /** From the end of the fault until every replica was ready again, milliseconds. */
  backMs?: number;
}

const SHOWN_LOSSES = 3;
const HEAD = ['fault', 'moment', 'tried', 'answered', 'survived', 'documented', 'back after', 'lost'];

/** Aligned columns, figures to the right. */
export function formatTable(rows: readonly Row[]): string {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const show = (line: readonly string[]) =>
    line
      .map((cell, column) => (column >= 2 && column <= 6 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ');
  return lines.map((line) => show(line).trimEnd()).join('\n');
}

function cells({ fault, moment, tried, answered, documented, lost, backMs }: Row): string[] {
  const survived = Math.max(0, tried - documented.length - lost.length);
  const shown = lost.slice(0, SHOWN_LOSSES).join('; ') + (lost.length > SHOWN_LOSSES ? `; and ${lost.length - SHOWN_LOSSES} more` : '');
  const back = backMs === undefined ? '' : `${(backMs / 1000).toFixed(1)} s`;
  return [fault, moment, String(tried), String(answered), String(survived), String(documented.length), back, shown || 'nothing'];
}

/** Documented losses and their reasons, one line for each fault and reason, below a heading. */
export function reasons(rows: readonly Row[]): string[] {
  const counts = new Map<string, number>();
  for (const { fault, documented } of rows)
    for (const each of documented) {
      const line = `${fault}: ${each.slice(each.indexOf(': ') + 2)}`;
      counts.set(line, (counts.get(line) ?? 0) + 1);
    }
  return counts.size === 0
    ? []
    : ['', 'lost as documented:', ...[...counts].map(([line, count]) => `${String(count).padStart(5)}  ${line}`)];
}

/** The total, for the last line. */
export function summary(rows: readonly Row[]): string {
  const sum = (figure: (row: Row) => number) => rows.reduce((total, row) => total + figure(row), 0);
  const [tried, lost, documented] = [sum((row) => row.tried), sum((row) => row.lost.length), sum((row) => row.documented.length)];
  return `${rows.length} faults, ${tried} tried, ${documented} lost as documented, ${lost === 0 ? 'nothing else lost' : `${lost} LOST`}`;
}
