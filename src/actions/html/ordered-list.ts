import type { FormatCallback } from 'html-to-text';
import { roman } from '../shared/list-numbers.ts';

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
  if (type === 'i') return roman(number);
  if (type === 'I') return roman(number).toUpperCase();
  return String(number);
}

function letters(number: number): string {
  let written = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / LETTERS)) {
    written = String.fromCharCode(0x61 + ((rest - 1) % LETTERS)) + written;
  }
  return written;
}
