import { parseSync } from 'oxc-parser';
import { lineOf } from '../../scripts/syntax.ts';
import type { Random } from '../faults/support/random.ts';
import { EQUIVALENT } from './equivalent.ts';
import type { Place } from './places.ts';

/** One change of one source. */
export interface Mutant {
  place: Place;
  /** What it is replaced by. */
  option: string;
  /** `file:line`. */
  at: string;
  /** The changed lines, before and after. */
  before: string;
  after: string;
  /** The whole changed source. */
  source: string;
  /** Why nobody could notice it: it is not run. */
  equivalent: string | undefined;
}

/** Draws changes, of each kind in turn: there are many more conditions than codes. @param count without equivalent ones, which are drawn too */
export function draw(places: readonly Place[], sources: ReadonlyMap<string, string>, random: Random, count: number): Mutant[] {
  const kinds = [...Map.groupBy(places, ({ kind }) => kind).values()].map((all) => shuffled(all, random));
  const drawn: Mutant[] = [];
  const isEnough = () => drawn.filter(({ equivalent }) => equivalent === undefined).length >= count;
  while (!isEnough() && kinds.some((left) => left.length > 0)) {
    for (const left of kinds) {
      const mutant = isEnough() ? undefined : next(left, sources, random);
      if (mutant !== undefined) drawn.push(mutant);
    }
  }
  return drawn;
}

/** The next change that can be parsed. */
function next(left: Place[], sources: ReadonlyMap<string, string>, random: Random): Mutant | undefined {
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    const mutant = mutantOf(place, sources.get(place.file) ?? '', random.pick(place.options));
    if (parseSync(place.file, mutant.source).errors.length === 0) return mutant;
  }
  return undefined;
}

function mutantOf(place: Place, source: string, option: string): Mutant {
  const { file, start, end } = place;
  const changed = source.slice(0, start) + option + source.slice(end);
  const [before, after] = difference(source, changed);
  const at = `${file}:${lineOf(source, firstDifference(source, changed))}`;
  return { place, option, at, before, after, source: changed, equivalent: reasonOf(file, before, after) };
}

/** The lines that differ; a removed line is empty. */
function difference(before: string, after: string): [string, string] {
  const from = before.lastIndexOf('\n', firstDifference(before, after) - 1) + 1;
  const [was, is] = [before.slice(from).split('\n'), after.slice(from).split('\n')];
  while (was.length > 1 && is.length > 1 && was.at(-1) === is.at(-1)) {
    was.pop();
    is.pop();
  }
  const shown = (lines: string[]) => lines.map((line) => line.trim()).join(' ');
  return [shown(was), shown(is)];
}

function firstDifference(before: string, after: string): number {
  let position = 0;
  while (position < before.length && before[position] === after[position]) position++;
  return position;
}

function reasonOf(file: string, before: string, after: string): string | undefined {
  return EQUIVALENT.find((one) => one.file === file && one.line === before && (one.becomes ?? after) === after)?.reason;
}

function shuffled(places: readonly Place[], random: Random): Place[] {
  return places
    .map((place) => ({ place, by: random.next() }))
    .sort((one, other) => one.by - other.by)
    .map(({ place }) => place);
}
