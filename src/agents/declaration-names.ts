/** Longest name that is compared: distances cost the product of the lengths. */
const LONGEST = 100;

/**
 * The known name that a mistyped one was most probably meant to be.
 *
 * @returns undefined when none is near
 */
export function nearestName(wanted: string, known: Iterable<string>): string | undefined {
  if (wanted.length > LONGEST) return undefined;
  let best: string | undefined;
  let smallest = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const name of known) {
    const distance = editDistance(wanted.toLowerCase(), name.toLowerCase());
    if (distance < smallest) [best, smallest] = [name, distance];
  }
  return best;
}

/** ` Did you mean x?`, or nothing. */
export function didYouMean(wanted: string, known: Iterable<string>): string {
  const nearest = nearestName(wanted, known);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

/** Levenshtein's: insertions, deletions and substitutions. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const substituted = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
