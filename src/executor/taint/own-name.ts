/** Letters of other scripts (Greek, Cyrillic, Armenian, Cherokee, Lisu), small capitals, letters with strokes, and digits that are drawn like those of the service's name. */
const LOOKALIKES: readonly [RegExp, string][] = [
  [/[ѕꜱʂՏᏚꓢ5$]/giu, 's'],
  [/[тτᴛƭŧᎢꓔ7+]/giu, 't'],
  [/[еєҽεᴇɛǝɇ℮ᎬꓰƎ3]/giu, 'e'],
  [/vv|[ԝѡωшɯᴡաᎳꓪ]/giu, 'w'],
  [/[аαɑᴀⱥᎪꓮ4@]/giu, 'a'],
  [/[гʀɾɼɍᎡᏒꓣ]/giu, 'r'],
  [/[ԁɗᴅɖđᎠꓓ]/giu, 'd'],
];

/** White letters in black circles and squares, and the letters of flags, each set from A to Z: no compatibility mapping names them. */
const FRAMED: readonly [RegExp, number][] = [
  [/[\u{1f150}-\u{1f169}]/gu, 0x1f150],
  [/[\u{1f170}-\u{1f189}]/gu, 0x1f170],
  [/[\u{1f1e6}-\u{1f1ff}]/gu, 0x1f1e6],
];

/** Whether a name that a client gives itself has the service's in it, or looks so: a question would seem to be asked by the service. */
export function resemblesOwnName(name: string): boolean {
  const letterOf = (from: number) => (character: string) => String.fromCodePoint(0x61 + (character.codePointAt(0) ?? 0) - from);
  const unframed = FRAMED.reduce((text, [letters, from]) => text.replace(letters, letterOf(from)), name);
  const folded = unframed.normalize('NFKD').toLowerCase();
  const drawn = LOOKALIKES.reduce((text, [letters, letter]) => text.replace(letters, letter), folded);
  return drawn.replace(/[^a-z]/g, '').includes('steward');
}

const UNNAMED = 'An app without a name';

/**
 * What an app is called in questions, if it gives itself no name: an id or a host, unless that seems to be the service.
 *
 * @param found best first
 */
export function nameOfApp(...found: readonly (string | undefined)[]): string {
  return found.find((name) => name !== undefined && !resemblesOwnName(name)) ?? UNNAMED;
}
