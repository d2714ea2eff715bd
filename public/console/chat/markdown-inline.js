import { markdown as texts } from '../../language/en/chat.js';
import { element } from '../kit/dom.js';
import { safeLink } from '../kit/safe-link.js';
import { readableText } from '../page/page-text.js';

/** Characters in which the end of a part is looked for, so that the time stays in proportion to the text. */
const MAX_PART = 2_500;
/** Marks and what they make, the longer ones first. */
const MARKS = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 's'],
  ['*', 'em'],
];
const SPECIAL = new Set(['`', '!', '[', 'h', '*', '_', '~']);
const ENDS_ADDRESS = new Set([...' \t\n<>"\'`)]']);
const ENDS_SENTENCE = new Set([...'.,;:!?']);

/** Text of Markdown as nodes: code, images as links, links, addresses, bold, emphasis, struck; everything else is text. */
export function inlineMarkdown(text) {
  const nodes = [];
  let plain = 0;
  for (let at = 0; at < text.length; ) {
    const part = SPECIAL.has(text[at]) ? partAt(text, at) : undefined;
    if (part === undefined) {
      // An escaped mark is none.
      at += text[at] === '\\' ? 2 : 1;
      continue;
    }
    nodes.push(...lines(text.slice(plain, at)), part.node);
    at = part.end;
    plain = at;
  }
  return [...nodes, ...lines(text.slice(plain))];
}

function partAt(text, at) {
  const character = text[at];
  if (character === '`') return code(text, at);
  if (character === '!') return text[at + 1] === '[' ? image(text, at) : undefined;
  if (character === '[') return link(text, at);
  if (character === 'h') return bareAddress(text, at);
  return emphasis(text, at);
}

function code(text, at) {
  let from = at;
  while (text[from] === '`') from += 1;
  const fence = text.slice(at, from);
  const end = indexWithin(text, fence, from);
  return end === -1 ? undefined : { node: element('code', {}, readableText(text.slice(from, end))), end: end + fence.length };
}

/** The address of an image can carry what was read to whoever runs the host, so that it is never loaded. */
function image(text, at) {
  const found = target(text, at + 1);
  if (found === undefined) return undefined;
  const node = element('span', { className: 'image-link' }, texts.image, safeLink(found.address, found.label || texts.undescribed), ']');
  return { node, end: found.end };
}

function link(text, at) {
  const found = target(text, at);
  return found === undefined || found.label === '' ? undefined : { node: safeLink(found.address, found.label), end: found.end };
}

/** `[label](address "title")` at a place. */
function target(text, at) {
  const close = indexWithin(text, ']', at);
  if (close === -1 || text[close + 1] !== '(') return undefined;
  const end = indexWithin(text, ')', close);
  if (end === -1) return undefined;
  const [address = ''] = text
    .slice(close + 2, end)
    .trim()
    .split(/\s/);
  return { label: text.slice(at + 1, close), address: address.replace(/^</, '').replace(/>$/, ''), end: end + 1 };
}

function bareAddress(text, at) {
  if (!text.startsWith('http://', at) && !text.startsWith('https://', at)) return undefined;
  let end = at;
  while (end < text.length && !ENDS_ADDRESS.has(text[end])) end += 1;
  while (ENDS_SENTENCE.has(text[end - 1])) end -= 1;
  return { node: safeLink(text.slice(at, end)), end };
}

function emphasis(text, at) {
  const [mark, tag] = MARKS.find(([one]) => text.startsWith(one, at)) ?? [];
  if (mark === undefined) return undefined;
  const from = at + mark.length;
  const end = indexWithin(text, mark, from);
  if (end <= from || text[from] === ' ') return undefined;
  return { node: element(tag, {}, ...inlineMarkdown(text.slice(from, end))), end: end + mark.length };
}

function indexWithin(text, wanted, from) {
  const found = text.slice(from, from + MAX_PART).indexOf(wanted);
  return found === -1 ? -1 : from + found;
}

/** Text with its line breaks; a backslash before a mark is not shown. */
function lines(text) {
  const plain = readableText(text.replace(/\\([\\`*_{}[\]()#+\-.!~|>])/g, '$1'));
  return plain.split('\n').flatMap((line, index) => (index === 0 ? [line] : [element('br'), line]));
}
