// `npm run test:mutants`: changes the source in places that a seed draws, runs the tests that reach them, and prints which
// changes none of them notices. In the background: it works on copies of the last commit, at a low priority. docs/suites.md
// explains it.
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../faults/support/random.ts';
import { writeReport } from '../support/runner/write-report.ts';
import { Copy } from './copy.ts';
import { draw, type Mutant } from './draw.ts';
import { placesIn, statesIn } from './places.ts';
import { type Chosen, Reach } from './reach.ts';
import { formatReport, type Result } from './report.ts';

const SCOPE = 'src/{executor,vault/refresh,oauth,approvals}/**/*.ts';
const TESTS = 'test/{unit,service}/**/*.test.ts';
const LIMIT_MS = 90_000;
/** How much longer than before, on a busy machine. */
const PATIENCE = 4;
const TRIES = 3;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    count: { type: 'string', default: '110' },
    lanes: { type: 'string', default: '2' },
    /** Seconds that the likely tests of a change take. */
    seconds: { type: 'string', default: '60' },
    /** A regular expression on `file:line`: of what was drawn, only that is run. */
    only: { type: 'string', default: '' },
    report: { type: 'boolean', default: false },
  },
});
const root = join(import.meta.dirname, '../..');
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const commit = git('rev-parse', '--short', 'HEAD');
const seed = Number(values.seed);
console.log(`seed ${seed}, commit ${commit}`);

Copy.removeOld();
const copies = Array.from({ length: Number(values.lanes) }, () => new Copy(root, commit));
const [first] = copies;
if (first === undefined) throw new Error('--lanes: at least 1');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const sources = new Map(globSync('src/**/*.ts', { cwd: first.folder }).map((file) => [file, first.read(file)]));
const states = statesIn(sources);
const scope = globSync(SCOPE, { cwd: first.folder }).sort();
const places = scope.flatMap((file) => placesIn(file, sources.get(file) ?? '', states));
const reach = new Reach(join(root, 'node_modules/.cache/mutants.json'), git('rev-parse', 'HEAD:src', 'HEAD:sandbox', 'HEAD:test/support'));
await reach.measure(first, globSync(TESTS, { cwd: first.folder }).sort(), sources, places);

const only = new RegExp(values.only);
const mutants = draw(places, sources, new Random(seed), Number(values.count)).filter(({ at }) => only.test(at));
const results: Result[] = [];
const queue = mutants.entries();
const startedAt = performance.now();
await Promise.all(copies.map(work));
const report = formatReport(results, { seed, commit, places: places.length, minutes: (performance.now() - startedAt) / 60_000 });
console.log(`\n${report}`);
if (values.report) writeReport('mutants.md', report);

/** Takes mutants from the queue until it is empty. */
async function work(copy: Copy): Promise<void> {
  for (const [position, mutant] of queue) {
    const { at, before, after, equivalent } = mutant;
    const { likely, others } = reach.testsFor(mutant, Number(values.seconds));
    const noticedBy = equivalent === undefined ? await noticing(copy, mutant, [likely, others]) : undefined;
    const tests = likely.files.length + others.files.length;
    results.push({ mutant, position, noticedBy, tests });
    const verdict = equivalent === undefined ? (noticedBy ?? `NOT NOTICED by ${tests} files`) : 'equivalent';
    console.error(`${results.length}/${mutants.length} ${at} ${before} → ${after}: ${verdict}`);
  }
}

/** The test that notices a change, or the check that does: `npm run check` rejects most where an `await` is missing. */
async function noticing(copy: Copy, mutant: Mutant, chosen: readonly Chosen[]): Promise<string | undefined> {
  const { kind, file } = mutant.place;
  const checks = async () => copy.checked(file);
  const tests = chosen.map((files) => () => failing(copy, files));
  for (const step of kind === 'await' ? [checks, ...tests] : [...tests, checks]) {
    const noticedBy = await changed(copy, mutant, step);
    if (noticedBy !== undefined) return noticedBy;
  }
  return undefined;
}

/** The test that fails, and again: on a busy machine one may fail for another reason. */
async function failing(copy: Copy, { files, seconds }: Chosen): Promise<string | undefined> {
  if (files.length === 0) return undefined;
  const limitMs = LIMIT_MS + seconds * 1000 * PATIENCE;
  for (let tries = 0; tries < TRIES; tries++) {
    const { noticedBy, file } = await copy.test(files, limitMs);
    if (noticedBy === undefined || file === undefined) return noticedBy;
    if ((await copy.test([file], limitMs)).noticedBy !== undefined) return noticedBy;
    console.error(`failed once only: ${noticedBy}`);
  }
  return undefined;
}

/** Does some work while a source is changed. */
async function changed<Result>(copy: Copy, { place: { file }, source }: Mutant, work: () => Promise<Result>): Promise<Result> {
  copy.write(file, source);
  try {
    return await work();
  } finally {
    copy.write(file, sources.get(file) ?? '');
  }
}
