/** Combining marks with variation selectors, skin tones and joiners: they belong to the character before them. */
const CONTINUES = /^(?:\p{M}|\p{Emoji_Modifier}|\u200d)/u;
/** More than a real character has. */
const MAX_PARTS = 16;

/**
 * The beginning of a text, at most `max` UTF-16 units: never with half of a surrogate pair, which models' APIs and the
 * database reject, and not in the middle of a character of several code points.
 */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, characterBefore(text, max));
}

/** The same with an ellipsis, which counts, in place of what is left out. */
export function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${cutText(text, max - 1)}…`;
}

/** As many whole items of a list as fit into `max` characters, one at least, and the number of the others. */
export function cutList(items: readonly string[], max: number): string {
  let length = 0;
  const fitting = items.findIndex((item) => {
    length += item.length;
    return length > max;
  });
  const kept = fitting === -1 ? items.length : Math.max(1, fitting);
  const left = items.length - kept;
  return `${items.slice(0, kept).join(', ')}${left === 0 ? '' : `, … and ${left.toLocaleString('en')} more`}`;
}

/** The last place up to `at` that is between two characters. */
function characterBefore(text: string, at: number): number {
  const pair = betweenPairs(text, at);
  let place = pair;
  for (let parts = 0; parts < MAX_PARTS && place > 0; parts += 1) {
    const isInside = CONTINUES.test(String.fromCodePoint(text.codePointAt(place) ?? 0)) || text.charAt(place - 1) === '\u200d';
    if (!isInside) return place;
    place = betweenPairs(text, place - 1);
  }
  // A mark without a character, or a pile of them.
  return pair;
}

/** The place itself, or that before the surrogate pair in which it is. */
export function betweenPairs(text: string, place: number): number {
  const [before, behind] = [text.charCodeAt(place - 1), text.charCodeAt(place)];
  const isInside = before >= 0xd800 && before < 0xdc00 && behind >= 0xdc00 && behind < 0xe000;
  return isInside ? place - 1 : place;
}
