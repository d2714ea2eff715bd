import { color } from '../css/css-colors.ts';
import type { Specified } from '../css/css-properties.ts';
import { PAGE, type Rendering, renderingOf } from '../css/rendering.ts';
import type { SelectedElement } from '../css/selector-matching.ts';
import type { StyleSheets } from '../css/style-sheets.ts';
import { attribute, attributeReader } from './html-attributes.ts';
import { BLOCKS, TABLE_PARTS, UNDISPLAYED } from './html-elements.ts';
import type { HtmlTag } from './html-tags.ts';

/** More siblings before an element than a selector asks for. */
const MAX_CHILDREN = 50;
/** By the standard's style sheet (HTML, 15.3); `pre` is converted as such. */
const PREFORMATTED = { keepsLines: true, keepsBlanks: true };
const OWN_STYLES = new Map<string, Specified>([
  ['sup', { script: 'super' }],
  ['sub', { script: 'sub' }],
  ['xmp', PREFORMATTED],
  ['listing', PREFORMATTED],
  ['plaintext', PREFORMATTED],
  ['textarea', PREFORMATTED],
]);
const OWN_BACKGROUNDS = new Set(['mark', 'button', 'textarea']);

/** An open element with its styles. */
export interface StyledElement extends SelectedElement {
  tag: HtmlTag;
  specified: Specified;
  rendering: Rendering;
  /** How many children have begun, by name; `*` for all. */
  counts?: Map<string, number>;
}

/** @param path the open elements around it, the root first */
export function styledElement(tag: HtmlTag, sheets: StyleSheets, path: readonly StyledElement[]): StyledElement {
  const element = selectedElement(tag, path.at(-1));
  const specified = sheets.specified(element, attribute(tag, 'style') ?? '', hintsOf(tag), path);
  const styled = { ...element, tag, specified, rendering: renderedIn(tag, specified, path.at(-1)) };
  addChild(path.at(-1), styled);
  return styled;
}

/** An element that isn't displayed is a sibling of others. @param path the open elements around it, the root first */
export function addUndisplayed(tag: HtmlTag, path: readonly StyledElement[]): void {
  addChild(path.at(-1), selectedElement(tag, path.at(-1)));
}

function selectedElement(tag: HtmlTag, parent: StyledElement | undefined): SelectedElement {
  const names = attribute(tag, 'class') ?? '';
  return {
    name: tag.name,
    id: attribute(tag, 'id') ?? '',
    classes: new Set(names.split(/[\t\n\f\r ]+/).filter((one) => one !== '')),
    place: counted(parent, '*'),
    placeOfType: counted(parent, tag.name),
    attribute: attributeReader(tag),
    children: [],
  };
}

function counted(parent: StyledElement | undefined, name: string): number {
  if (parent === undefined) return 1;
  parent.counts ??= new Map();
  const count = (parent.counts.get(name) ?? 0) + 1;
  parent.counts.set(name, count);
  return count;
}

function addChild(parent: StyledElement | undefined, child: SelectedElement): void {
  if (parent === undefined) return;
  parent.children.push(child);
  if (parent.children.length > MAX_CHILDREN) parent.children.shift();
}

/** Renders elements again, after one around them has ended. @param path all that are open */
export function renderAgain(changed: readonly StyledElement[], path: readonly StyledElement[]): void {
  const from = path.length - changed.length;
  for (const [index, element] of changed.entries()) {
    element.rendering = renderedIn(element.tag, element.specified, path[from + index - 1]);
  }
}

/** How the content of an element is rendered that has no element of its own. */
export function contentRendering(element: StyledElement | undefined): Rendering {
  if (element === undefined) return PAGE;
  return isShutDetails(element) ? { ...element.rendering, isGone: true } : element.rendering;
}

function renderedIn(tag: HtmlTag, specified: Specified, parent: StyledElement | undefined): Rendering {
  // Of details that aren't open, only the summary is displayed (HTML, 15.5.4).
  const around = tag.name === 'summary' ? (parent?.rendering ?? PAGE) : contentRendering(parent);
  return renderingOf(specified, around, displayOf(tag));
}

function isShutDetails({ name, tag }: StyledElement): boolean {
  return name === 'details' && attribute(tag, 'open') === undefined;
}

/** How the element is displayed by default (HTML, 15.3). */
function displayOf(tag: HtmlTag): string {
  const { name } = tag;
  if (UNDISPLAYED.has(name) || (name === 'dialog' && attribute(tag, 'open') === undefined)) return 'none';
  if (TABLE_PARTS.has(name)) return name === 'table' ? 'table' : 'table-cell';
  return BLOCKS.has(name) ? 'block' : 'inline';
}

/** What attributes say that stand for styles (HTML, 15.2): styles overrule them. */
function hintsOf(tag: HtmlTag): Specified {
  const { name } = tag;
  if (tag.attributes.length === 0 && !OWN_BACKGROUNDS.has(name)) return OWN_STYLES.get(name) ?? {};
  const hidden = attribute(tag, 'hidden');
  const background = attribute(tag, 'bgcolor');
  const text = name === 'body' ? attribute(tag, 'text') : name === 'font' ? attribute(tag, 'color') : undefined;
  return {
    // A popover isn't open before a script opens it (HTML, 15.3.1).
    ...(attribute(tag, 'popover') !== undefined && { display: 'none' }),
    ...(hidden !== undefined && (/^until-found$/i.test(hidden.trim()) ? { 'content-visibility': true } : { display: 'none' })),
    ...(background !== undefined && { background: legacyColor(background) }),
    ...(hasOwnBackground(tag) && { background: 'unknown' }),
    ...(text !== undefined && { color: legacyColor(text) }),
    ...(name === 'a' && { color: 'unknown' }),
    ...OWN_STYLES.get(name),
  };
}

function hasOwnBackground(tag: HtmlTag): boolean {
  return OWN_BACKGROUNDS.has(tag.name) || attribute(tag, 'background') !== undefined;
}

/** A color of an attribute, which may lack its `#` (HTML, 2.3.6). */
function legacyColor(value: string): string {
  const written = value.trim().toLowerCase();
  return color(/^[0-9a-f]{3}(?:[0-9a-f]{3})?$/.test(written) ? `#${written}` : written) ?? 'unknown';
}
