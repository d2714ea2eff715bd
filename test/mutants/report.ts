import type { Mutant } from './draw.ts';

export interface Result {
  mutant: Mutant;
  /** In the order of drawing. */
  position: number;
  /** The test that failed; undefined: none. */
  noticedBy: string | undefined;
  /** Files that were run. */
  tests: number;
}

export interface Run {
  seed: number;
  commit: string;
  /** Places that can be changed. */
  places: number;
  minutes: number;
}

/** The result as Markdown: figures by kind, and what nothing noticed. */
export function formatReport(results: readonly Result[], { seed, commit, places, minutes }: Run): string {
  const ordered = results.toSorted((one, other) => one.position - other.position);
  const kinds = [...Map.groupBy(ordered, ({ mutant }) => mutant.place.kind)];
  const unnoticed = ordered.filter(({ noticedBy }) => noticedBy === undefined);
  return [
    summary(ordered),
    '',
    `\`npm run test:mutants -- --seed ${seed} --count ${results.length}\`, commit ${commit}, ${places} places, ${minutes.toFixed(0)} minutes.`,
    '',
    ...table(
      ['Kind', 'Changes', 'Noticed'],
      kinds.map(([kind, all]) => [kind, String(all.length), String(all.filter(isNoticed).length)]),
    ),
    ...(unnoticed.length === 0 ? [] : ['', 'Not noticed:', '']),
    ...(unnoticed.length === 0 ? [] : table(['Place', 'Before', 'After', 'Test files'], unnoticed.map(cells))),
    '',
  ].join('\n');
}

function summary(results: readonly Result[]): string {
  const noticed = results.filter(isNoticed).length;
  return `${results.length} mutants, ${noticed} noticed (${Math.floor((noticed / results.length) * 100)} %)`;
}

function isNoticed({ noticedBy }: Result): boolean {
  return noticedBy !== undefined;
}

function cells({ mutant: { at, before, after }, tests }: Result): string[] {
  return [at, code(before), code(after), tests === 0 ? 'none reaches it' : String(tests)];
}

function code(text: string): string {
  return text === '' ? '(removed)' : `\`${text.replaceAll('|', '\\|')}\``;
}

function table(head: string[], rows: string[][]): string[] {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
}
