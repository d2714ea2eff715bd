/** Letters of other scripts, and digits, that are drawn like those of the service's name. */
const LOOKALIKES: readonly [RegExp, string][] = [
  [/[ѕꜱ5$]/gu, 's'],
  [/[тτ7+]/gu, 't'],
  [/[еєҽε3]/gu, 'e'],
  [/vv|[ԝѡω]/gu, 'w'],
  [/[аαɑ4@]/gu, 'a'],
  [/[гʀ]/gu, 'r'],
  [/[ԁɗ]/gu, 'd'],
];

/** Whether a name that a client gives itself has the service's in it, or looks so: a question would seem to be asked by the service. */
export function resemblesOwnName(name: string): boolean {
  const folded = name.normalize('NFKD').toLowerCase();
  const drawn = LOOKALIKES.reduce((text, [letters, letter]) => text.replace(letters, letter), folded);
  return drawn.replace(/[^a-z]/g, '').includes('steward');
}
