import type { Reporter, TestModule } from 'vitest/node';

/** Prints the suite's table: check, tried, held, and below it what failed or was missing. */
export default class TableReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.flatMap((module) => [...module.children.allTests()].map((test) => rowOf(test)));
    const width = Math.max(...rows.map(({ name }) => name.length), 5);
    const line = (name: string, ...cells: string[]) =>
      console.log(`${name.padEnd(width)}  ${cells.map((cell) => cell.padStart(7)).join('')}`);
    console.log('');
    line('Check', 'tried', 'held');
    for (const { name, tried, held } of rows) line(name, String(tried), String(held));
    const notes = rows.flatMap(({ notes }) => notes);
    if (notes.length > 0) console.log(`\n${notes.join('\n')}`);
    const failed = rows.filter(({ ok }) => !ok).length;
    console.log(`\n${rows.length - failed} of ${rows.length} checks held${failed > 0 ? `, ${failed} did not` : ''}.`);
  }
}

type Tests = ReturnType<TestModule['children']['allTests']>;
type Test = Tests extends Iterable<infer One> ? One : never;

function rowOf(test: Test) {
  const outcome = test.meta().security;
  const { state, errors } = test.result();
  const ok = state === 'passed';
  const tried = outcome?.tried ?? 0;
  const failures = outcome?.failed ?? (errors ?? []).map(({ message }) => message);
  const missing = outcome?.missing === undefined ? [] : [`not here: ${test.name}: ${outcome.missing}`];
  return {
    name: test.name,
    ok,
    tried,
    held: Math.max(0, tried - failures.length),
    notes: [...failures.map((failure) => `FAILED: ${test.name}: ${failure}`), ...missing],
  };
}
