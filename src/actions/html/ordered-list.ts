import type { FormatCallback } from 'html-to-text';

const ROMAN: [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];
const MAX_ROMAN = 3_999;
const LETTERS = 26;

/** A list whose items have the numbers that are displayed: by `start`, `reversed` and `type` of the list, and `value` of an item (HTML, 4.4.8). */
export const orderedList: FormatCallback = ({ attribs, children = [], parent }, walk, builder) => {
  const isNested = parent?.name === 'li';
  const items = children.filter(({ type, data }) => type !== 'text' || /\S/.test(data ?? ''));
  const isReversed = attribs?.reversed !== undefined;
  let next = Number(attribs?.start ?? (isReversed ? items.filter(({ name }) => name === 'li').length : 1));
  const marked = items.map((node) => {
    if (node.name !== 'li') return { node, prefix: '' };
    const number = Number(node.attribs?.value ?? next);
    next = number + (isReversed ? -1 : 1);
    return { node, prefix: `${isNested ? '' : ' '}${marker(number, attribs?.type)}. ` };
  });
  const breaks = isNested ? 1 : 2;
  const maxPrefixLength = marked.reduce((most, { prefix }) => Math.max(most, prefix.length), 0);
  builder.openList({ interRowLineBreaks: 1, leadingLineBreaks: breaks, maxPrefixLength, prefixAlign: 'left' });
  for (const { node, prefix } of marked) {
    builder.openListItem({ prefix });
    walk([node], builder);
    builder.closeListItem();
  }
  builder.closeList({ trailingLineBreaks: breaks });
};

/** As digits where the kind has no sign for the number (CSS Counter Styles 3, section 6). */
function marker(number: number, type: string | undefined): string {
  if (type === 'a' && number > 0) return letters(number);
  if (type === 'A' && number > 0) return letters(number).toUpperCase();
  if (type === 'i' && number > 0 && number <= MAX_ROMAN) return roman(number);
  if (type === 'I' && number > 0 && number <= MAX_ROMAN) return roman(number).toUpperCase();
  return String(number);
}

function letters(number: number): string {
  let written = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / LETTERS)) {
    written = String.fromCharCode(0x61 + ((rest - 1) % LETTERS)) + written;
  }
  return written;
}

function roman(number: number): string {
  let [rest, written] = [number, ''];
  for (const [value, sign] of ROMAN) {
    written += sign.repeat(Math.floor(rest / value));
    rest %= value;
  }
  return written;
}
