/** Longest name to compare: the cost of a distance is the product of the lengths. */
const LONGEST = 100;

/**
 * The known name that is nearest to a misspelt or shortened one.
 *
 * @returns undefined when none is near
 */
export function nearestName(wanted: string, known: Iterable<string>): string | undefined {
  if (wanted === '' || wanted.length > LONGEST) return undefined;
  const names = [...known];
  let best: string | undefined;
  // A distance of the full length would match anything.
  let smallest = Math.min(Math.max(1, Math.floor(wanted.length / 3)), wanted.length - 1) + 1;
  for (const name of names) {
    const distance = editDistance(wanted.toLowerCase(), name.toLowerCase());
    if (distance < smallest) [best, smallest] = [name, distance];
  }
  return best ?? theOnlyOne(names.filter((name) => name.toLowerCase().startsWith(wanted.toLowerCase())));
}

/** `; did you mean x?`, or an empty string. */
export function didYouMean(wanted: string, known: Iterable<string>): string {
  const nearest = nearestName(wanted, known);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

function theOnlyOne(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

/** Damerau-Levenshtein distance: insertions, deletions, substitutions and transpositions of neighbours. */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const substituted = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const swapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1] ? (before[j - 2] ?? 0) + 1 : substituted;
      next.push(Math.min(substituted, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[other.length] ?? 0;
}
