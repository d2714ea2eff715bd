/** Letters of other scripts (Greek, Cyrillic, Armenian, Cherokee, Lisu), small capitals, letters with strokes, and digits that are drawn like those of the service's name. */
const LOOKALIKES: readonly [RegExp, string][] = [
  [/[ѕꜱʂՏᏚꓢ5$]/giu, 's'],
  [/[тτᴛƭŧᎢꓔ7+]/giu, 't'],
  [/[еєҽεᴇɛǝɇᎬꓰ3]/giu, 'e'],
  [/vv|[ԝѡωшɯᴡաᎳꓪ]/giu, 'w'],
  [/[аαɑᴀⱥᎪꓮ4@]/giu, 'a'],
  [/[гʀɾɼɍᎡᏒꓣ]/giu, 'r'],
  [/[ԁɗᴅɖđᎠꓓ]/giu, 'd'],
];

/** Whether a name that a client gives itself has the service's in it, or looks so: a question would seem to be asked by the service. */
export function resemblesOwnName(name: string): boolean {
  const folded = name.normalize('NFKD').toLowerCase();
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
