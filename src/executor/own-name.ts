/** Letters of other scripts (Greek, Cyrillic, Armenian, Cherokee, Lisu), small capitals and digits that are drawn like those of the service's name. */
const LOOKALIKES: readonly [RegExp, string][] = [
  [/[ѕꜱʂՏᏚꓢ5$]/giu, 's'],
  [/[тτᴛƭᎢꓔ7+]/giu, 't'],
  [/[еєҽεᴇɛǝᎬꓰ3]/giu, 'e'],
  [/vv|[ԝѡωшɯᴡաᎳꓪ]/giu, 'w'],
  [/[аαɑᴀᎪꓮ4@]/giu, 'a'],
  [/[гʀɾɼᎡᏒꓣ]/giu, 'r'],
  [/[ԁɗᴅɖᎠꓓ]/giu, 'd'],
];

/** Whether a name that a client gives itself has the service's in it, or looks so: a question would seem to be asked by the service. */
export function resemblesOwnName(name: string): boolean {
  const folded = name.normalize('NFKD').toLowerCase();
  const drawn = LOOKALIKES.reduce((text, [letters, letter]) => text.replace(letters, letter), folded);
  return drawn.replace(/[^a-z]/g, '').includes('steward');
}
