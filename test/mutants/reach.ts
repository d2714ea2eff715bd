import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Copy } from './copy.ts';
import type { Place } from './places.ts';

/** What a test file reaches. */
interface Reached {
  file: string;
  seconds: number;
  places: string[];
  /** Of the test file when it was measured. */
  source: string;
}

const MEASURING_MS = 3_600_000;
const WORKERS = '4';
/** How many times sooner a test is tried for each word that its path shares with the source’s. */
const KIN = 4;

/** Which test files reach which places: measured once, and kept until the sources change. */
export class Reach {
  readonly #cache: string;
  readonly #version: string;
  #files: Reached[] = [];

  /** @param version of what tests run */
  constructor(cache: string, version: string) {
    this.#cache = cache;
    this.#version = version;
    const kept = existsSync(cache) ? JSON.parse(readFileSync(cache, 'utf8')) : {};
    if (kept.version === version) this.#files = kept.files;
  }

  /** Runs the test files that are new or have changed, with sources that record what runs. Failing ones are left out. */
  async measure(copy: Copy, tests: readonly string[], sources: ReadonlyMap<string, string>, places: readonly Place[]): Promise<void> {
    this.#files = this.#files.filter(({ file, source }) => tests.includes(file) && copy.read(file) === source);
    const missing = tests.filter((test) => !this.#files.some(({ file }) => file === test));
    if (missing.length === 0) return;
    console.error(`measuring what ${missing.length} test files reach …`);
    const byFile = Map.groupBy(places, ({ file }) => file);
    for (const [file, found] of byFile) copy.write(file, instrumented(sources.get(file) ?? '', found));
    const lines = join(copy.folder, 'dist', 'reached.jsonl');
    const { passed } = await copy.test(missing, MEASURING_MS, { MUTANTS_REACHED: lines, MUTANTS_WORKERS: WORKERS });
    for (const file of byFile.keys()) copy.write(file, sources.get(file) ?? '');
    const measured: Reached[] = readFileSync(lines, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    rmSync(lines);
    for (const file of missing) {
      const one = measured.find((found) => found.file === file);
      const isUsable = one !== undefined && passed.includes(file);
      if (!isUsable) console.error(`left out, since it fails unchanged: ${file}`);
      this.#files.push({ file, seconds: one?.seconds ?? 0, places: isUsable ? one.places : [], source: copy.read(file) });
    }
    mkdirSync(dirname(this.#cache), { recursive: true });
    writeFileSync(this.#cache, JSON.stringify({ version: this.#version, files: this.#files }));
  }

  /**
   * The test files that reach a place: those that are named like it and quick ones first.
   *
   * @param seconds that the likely ones take; the others are for a change that these don't notice
   */
  testsFor({ place, option }: { place: Place; option: string }, seconds: number): { likely: Chosen; others: Chosen } {
    const key = needed(place, option);
    const isReached = place.isStatic ? (one: string) => one.startsWith(`${place.file}:`) : (one: string) => one === key;
    const cost = (one: Reached) => one.seconds / kinship(place.file, one.file);
    const found = this.#files.filter(({ places }) => places.some(isReached)).sort((one, other) => cost(one) - cost(other));
    let count = 0;
    for (let left = seconds; count < found.length && (count === 0 || left > 0); count += 1) left -= found[count]?.seconds ?? 0;
    return { likely: chosen(found.slice(0, count)), others: chosen(found.slice(count)) };
  }
}

/** Test files to run, in order. */
export interface Chosen {
  files: string[];
  /** What they took. */
  seconds: number;
}

function chosen(reached: readonly Reached[]): Chosen {
  return { files: reached.map(({ file }) => file), seconds: reached.reduce((sum, { seconds }) => sum + seconds, 0) };
}

/** Tests are named like what they test: `executor/taint-repository.ts`, `executor/taint.test.ts`. */
function kinship(source: string, test: string): number {
  const words = (file: string) => new Set(file.split(/[/.-]/).map((word) => word.replace(/s$/, '')));
  const own = words(source);
  return KIN ** [...words(test)].filter((word) => own.has(word)).length;
}

/** Where a place is, whatever is changed there. */
export function keyOf({ file, start, end }: Place): string {
  return `${file}:${start}-${end}`;
}

/** What a test has to reach to notice a change: of a condition that becomes true, a place where it was false. */
function needed(place: Place, option: string): string {
  if (place.kind !== 'condition') return keyOf(place);
  return `${keyOf(place)} ${option === 'true' ? 'false' : 'true'}`;
}

/** The source, which records in the global set `reached` which of its places run, and what conditions were. */
export function instrumented(source: string, places: readonly Place[]): string {
  const inserted = [...Map.groupBy(places, keyOf)].flatMap(([key, same]) => {
    const [{ start, end }] = same as [Place];
    const [before, after] = wrapping(key, new Set(same.map(({ kind }) => kind)));
    return [
      { at: start, isEnd: false, length: end - start, text: before },
      { at: end, isEnd: true, length: end - start, text: after },
    ];
  });
  // From the end of the source to its beginning. Where several places begin, the longest is the outermost.
  inserted.sort((one, other) => other.at - one.at || Number(one.isEnd) - Number(other.isEnd) || byNesting(one, other));
  return inserted.reduce((text, { at, text: part }) => text.slice(0, at) + part + text.slice(at), source);
}

function wrapping(key: string, kinds: ReadonlySet<string>): [before: string, after: string] {
  const record = `globalThis.reached?.add('${key}')`;
  if (kinds.has('statement')) return [`{ ${record}; `, ' }'];
  if (!kinds.has('condition')) return [`(${record}, `, ')'];
  return [`(${record}, ((is) => (globalThis.reached?.add('${key} ' + Boolean(is)), is))(`, '))'];
}

/** What is inserted first at a position ends up behind what is inserted later. */
function byNesting(one: { isEnd: boolean; length: number }, other: { length: number }): number {
  return one.isEnd ? other.length - one.length : one.length - other.length;
}
