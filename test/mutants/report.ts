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

const HEAD = `# Changes that tests notice

\`npm run test:mutants\` changes one place of \`src/executor\`, \`src/vault/refresh\`, \`src/oauth\` or \`src/approvals\` at a time, in copies of the last commit, and runs tests that reach it. Of each kind, as many places are drawn: \`===\`, \`<\` and the like become others (comparison), \`&&\`, \`||\` and \`!\` (logic), conditions become true or false, codes of errors and words for states become others, limits one more or less (number), \`await\` and calls as statements are removed, and comparisons and states in SQL change. \`npm run check\` counts as a test: it rejects promises that nobody awaits, and values that the types exclude.
`;

/** The result as Markdown: figures by kind, what nothing noticed, and what nobody could notice. */
export function formatReport(results: readonly Result[], { seed, commit, places, minutes }: Run): string {
  const ordered = results.toSorted((one, other) => one.position - other.position);
  const [counted, equivalent] = [ordered.filter(isCounted), ordered.filter((result) => !isCounted(result))];
  const kinds = [...Map.groupBy(counted, ({ mutant }) => mutant.place.kind)];
  const unnoticed = counted.filter((result) => !isNoticed(result));
  const command = `\`npm run test:mutants -- --seed ${seed} --count ${counted.length}\``;
  const figures = kinds.map(([kind, all]) => [kind, String(all.length), String(all.filter(isNoticed).length)]);
  return [
    HEAD,
    `**${summary(counted)}**: ${command}, commit ${commit}, ${places} places to draw from, ${minutes.toFixed(0)} minutes.\n`,
    ...table(['Kind', 'Changes', 'Noticed'], figures),
    ...section('Not noticed', ['Place', 'Before', 'After', 'Test files'], unnoticed.map(cells)),
    ...section('Nobody could notice, and not counted', ['Place', 'Before', 'After', 'Reason'], equivalent.map(cells)),
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

function isCounted({ mutant }: Result): boolean {
  return mutant.equivalent === undefined;
}

function cells({ mutant: { at, before, after, equivalent }, tests }: Result): string[] {
  return [at, code(before), code(after), equivalent ?? (tests === 0 ? 'none reaches it' : String(tests))];
}

function code(text: string): string {
  return text === '' ? '(removed)' : `\`${text.replaceAll('|', '\\|')}\``;
}

function section(title: string, head: string[], rows: string[][]): string[] {
  return rows.length === 0 ? [] : [`\n## ${title}\n`, ...table(head, rows)];
}

function table(head: string[], rows: string[][]): string[] {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
}
