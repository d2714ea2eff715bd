import { color } from './css-colors.ts';
import { isMask, isZeroClip, type MaskName } from './css-masks.ts';
import { splitAt } from './css-scanner.ts';
import { type FontSize, fontSize, pixels, share } from './css-values.ts';
import { physicalName } from './property-names.ts';

/** Above or below the line. */
export type Script = 'super' | 'sub' | 'none';

/** What styles say about whether and how an element's text can be seen; a member is absent where they say nothing. */
export interface Specified extends Partial<Record<MaskName, boolean>> {
  display?: string;
  visibility?: string;
  fontSize?: FontSize;
  /** Of the text itself. */
  color?: string;
  /** A color, or `unknown` for an image. */
  background?: string;
  opacity?: number;
  /** The color that letters are filled with in place of their own. */
  fill?: string;
  /** Of what letters are seen by besides their own color: an outline, a shadow; `unknown` for a background that they cut out. */
  paint?: string;
  overflowX?: string;
  overflowY?: string;
  height?: number;
  maxHeight?: number;
  minHeight?: number;
  width?: number;
  maxWidth?: number;
  minWidth?: number;
  paddingTop?: number;
  paddingRight?: number;
  paddingBottom?: number;
  paddingLeft?: number;
  isFloat?: boolean;
  indent?: number;
  position?: string;
  left?: number;
  top?: number;
  right?: number;
  bottom?: number;
  marginLeft?: number;
  marginRight?: number;
  marginTop?: number;
  /** Nothing is left of it by `clip`, which only applies to positioned elements. */
  isClipped?: boolean;
  script?: Script;
  /** Line breaks of the source are displayed, and blanks beside each other. */
  keepsLines?: boolean;
  keepsBlanks?: boolean;
  /** Moved to where it may lie above other things. */
  isMoved?: boolean;
}

const DISPLAYS =
  /^(?:none|contents|(?:inline|block|run-in|list-item|flow|flow-root|inline-block|table|inline-table|flex|inline-flex|grid|inline-grid|ruby|math|-webkit-(?:inline-)?box|-webkit-(?:inline-)?flex|-ms-(?:inline-)?(?:flexbox|grid)|table-(?:row-group|header-group|footer-group|row|cell|column-group|column|caption)|ruby-(?:base|text)(?:-container)?)(?: (?:flow|flow-root|flex|grid|table|ruby|list-item)){0,2})$/;
const OVERFLOWS = /^(?:visible|hidden|clip|scroll|auto|overlay)$/;
const KEYWORDS = new Set(['inherit', 'initial', 'unset', 'revert', 'revert-layer']);

type Reader = (value: string) => Specified | undefined;

/** Readers of properties: undefined for an invalid value, which leaves what was said before. */
const READERS: Record<string, Reader> = {
  display: (display) => (DISPLAYS.test(display) ? { display } : undefined),
  visibility: (visibility) => (/^(?:visible|hidden|collapse)$/.test(visibility) ? { visibility } : undefined),
  'content-visibility': (value) => (/^(?:visible|auto|hidden)$/.test(value) ? { 'content-visibility': value === 'hidden' } : undefined),
  opacity: (value) => member('opacity', share(value)),
  'font-size': (value) => member('fontSize', fontSize(value)),
  font: (value) => member('fontSize', fontSizeIn(value)),
  color: (value) => member('color', color(value)),
  '-webkit-text-fill-color': (value) => (value === 'currentcolor' ? undefined : member('fill', color(value))),
  '-webkit-text-stroke': (value) => (/(?:^| )(?:0?\.\d|[1-9])/.test(value) ? paintOf(value) : undefined),
  '-webkit-text-stroke-color': paintOf,
  'text-shadow': paintOf,
  'background-clip': clipOf,
  '-webkit-background-clip': clipOf,
  'background-color': (value) => member('background', color(value)),
  'background-image': (value) => (value === 'none' ? undefined : { background: 'unknown' }),
  background: (value) => ({
    ...member('background', backgroundIn(value)),
    ...(splitAt(value, ' ').includes('text') && { paint: 'unknown' }),
  }),
  overflow: overflowOf,
  'overflow-x': (overflowX) => (OVERFLOWS.test(overflowX) ? { overflowX } : undefined),
  'overflow-y': (overflowY) => (OVERFLOWS.test(overflowY) ? { overflowY } : undefined),
  float: (value) => ({ isFloat: value !== 'none' }),
  height: (value) => sizeOf('height', value),
  'max-height': (value) => sizeOf('maxHeight', value),
  'min-height': (value) => leastOf('minHeight', value),
  width: (value) => sizeOf('width', value),
  'max-width': (value) => sizeOf('maxWidth', value),
  'min-width': (value) => leastOf('minWidth', value),
  padding: (value) => sidesOf(value, leastOf, ['paddingTop', 'paddingRight', 'paddingBottom', 'paddingLeft']),
  'padding-inline': (value) => pairOf(value, leastOf, ['paddingLeft', 'paddingRight']),
  'padding-block': (value) => pairOf(value, leastOf, ['paddingTop', 'paddingBottom']),
  'padding-top': (value) => leastOf('paddingTop', value),
  'padding-right': (value) => leastOf('paddingRight', value),
  'padding-bottom': (value) => leastOf('paddingBottom', value),
  'padding-left': (value) => leastOf('paddingLeft', value),
  'text-indent': (value) =>
    member('indent', value.startsWith('-') && value.endsWith('%') ? -10 * Number.parseFloat(value.slice(1)) : pixels(value)),
  position: (value) => (/^(?:static|relative|absolute|fixed|sticky|-webkit-sticky)$/.test(value) ? { position: value } : undefined),
  inset: (value) => sidesOf(value, sizeOf, ['top', 'right', 'bottom', 'left']),
  'inset-inline': (value) => pairOf(value, sizeOf, ['left', 'right']),
  'inset-block': (value) => pairOf(value, sizeOf, ['top', 'bottom']),
  left: (value) => sizeOf('left', value),
  top: (value) => sizeOf('top', value),
  right: (value) => sizeOf('right', value),
  bottom: (value) => sizeOf('bottom', value),
  margin: (value) => sidesOf(value, marginOf, ['marginTop', 'marginRight', undefined, 'marginLeft']),
  'margin-inline': (value) => pairOf(value, marginOf, ['marginLeft', 'marginRight']),
  'margin-block': (value) => marginOf('marginTop', splitAt(value, ' ')[0] ?? ''),
  'margin-left': (value) => marginOf('marginLeft', value),
  'margin-right': (value) => marginOf('marginRight', value),
  'margin-top': (value) => marginOf('marginTop', value),
  'vertical-align': (value) => ({ script: value === 'super' || value === 'sub' ? value : 'none' }),
  'white-space': (value) => ({
    keepsLines: /^(?:pre|pre-wrap|pre-line|break-spaces)$/.test(value),
    keepsBlanks: /^(?:pre|pre-wrap|break-spaces)$/.test(value),
  }),
  clip: (value) => ({ isClipped: isZeroClip(value) }),
  'clip-path': (value) => ({ 'clip-path': isMask(value) }),
  '-webkit-clip-path': (value) => ({ 'clip-path': isMask(value) }),
  filter: (value) => ({ filter: isMask(value) }),
  transform: (value) => moved('transform', value),
  // As functions of `transform`, without their names (CSS Transforms 2, section 5).
  scale: (value) => moved('scale', value === 'none' ? value : `scale(${value})`),
  translate: (value) => moved('translate', value === 'none' ? value : `translate(${value})`),
};

/** What a property says, without what it leaves to its default. @param value normalized @returns undefined if it is invalid, or of no interest */
export function readProperty(given: string, value: string): Specified | undefined {
  const name = physicalName(given);
  const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (read === undefined) return undefined;
  if (value.includes('var(')) return byVariable(name);
  return KEYWORDS.has(value) ? byKeyword(name, value) : read(value);
}

/** The values of variables aren't known. */
function byVariable(name: string): Specified | undefined {
  if (name === 'font-size' || name === 'font') return { fontSize: { pixels: Number.NaN } };
  if (name === 'text-indent') return { indent: Number.NaN };
  if (name === 'visibility') return { visibility: 'visible' };
  if (name === 'color') return { color: 'unknown' };
  if (name === '-webkit-text-fill-color') return { fill: 'unknown' };
  if (/^(?:background|background-color|background-image)$/.test(name)) return { background: 'unknown' };
  if (/^(?:text-shadow|-webkit-text-stroke(?:-color)?)$/.test(name)) return { paint: 'unknown' };
  return byKeyword(name, 'initial');
}

/** What `inherit`, `initial` and `unset` mean, as far as it differs from saying nothing. */
function byKeyword(name: string, value: string): Specified | undefined {
  if (name === 'text-indent') return value === 'initial' ? { indent: 0 } : undefined;
  if (name === 'text-shadow' || name === 'white-space') return undefined;
  if (name === 'font-size' || name === 'font') return value === 'initial' ? { fontSize: { pixels: 16 } } : { fontSize: { factor: 1 } };
  if (name === 'visibility') return { visibility: value === 'initial' ? 'visible' : 'inherit' };
  if (name === 'color') return { color: value === 'initial' ? '#000000' : 'inherit' };
  if (name === 'display') return { display: value.startsWith('revert') ? 'revert' : 'inline' };
  if (name === 'opacity') return { opacity: 1 };
  if (name === 'position') return { position: 'static' };
  if (/^background(?:-color)?$/.test(name)) return { background: 'transparent' };
  return READERS[name]?.(name.startsWith('overflow') || name === 'content-visibility' ? 'visible' : 'none');
}

function member<Name extends keyof Specified>(name: Name, value: Specified[Name] | undefined): Specified | undefined {
  return value === undefined ? undefined : { [name]: value };
}

function sizeOf(name: keyof Specified, value: string): Specified | undefined {
  return /^(?:auto|none|normal|(?:min|max|fit)-content)$/.test(value) ? { [name]: Number.NaN } : member(name, lengthOrShare(value));
}

function lengthOrShare(value: string): number | undefined {
  const length = pixels(value);
  return length === undefined || !value.endsWith('%') ? length : Number.parseFloat(value) * 10;
}

function overflowOf(value: string): Specified | undefined {
  const [x = '', y = x] = value.split(' ');
  return OVERFLOWS.test(x) && OVERFLOWS.test(y) ? { overflowX: x, overflowY: y } : undefined;
}

/** A padding, or a least size. */
function leastOf(name: keyof Specified, value: string): Specified | undefined {
  return value === 'auto' || value === 'none' ? { [name]: 0 } : sizeOf(name, value);
}

type SideReader = (name: keyof Specified, value: string) => Specified | undefined;

/**
 * The values of four sides, of which the later ones may be left out.
 *
 * @param names from the top, clockwise; undefined for a side that is of no interest
 */
function sidesOf(value: string, read: SideReader, names: readonly (keyof Specified | undefined)[]): Specified {
  const [top = '', right = top, bottom = top, left = right] = splitAt(value, ' ');
  const values = [top, right, bottom, left];
  return Object.assign({}, ...names.map((name, index) => name && read(name, values[index] ?? '')));
}

/** The values of two opposite sides, which may be one. */
function pairOf(value: string, read: SideReader, [first, second]: readonly [keyof Specified, keyof Specified]): Specified {
  const [start = '', end = start] = splitAt(value, ' ');
  return { ...read(first, start), ...read(second, end) };
}

/** A share of the width around it stays near: columns are laid out by -100%. */
function marginOf(name: keyof Specified, value: string): Specified | undefined {
  return value.endsWith('%') ? member(name, pixels(value.slice(0, -1))) : sizeOf(name, value);
}

function moved(name: MaskName, value: string): Specified {
  return { [name]: isMask(value), ...(value !== 'none' && { isMoved: true }) };
}

/** The color of what is drawn around letters or behind them, unless that is the letters' own, or none. */
function paintOf(value: string): Specified | undefined {
  const colors = splitAt(value, ', ')
    .filter((part) => part !== 'currentcolor' && part !== 'transparent')
    .flatMap((part) => color(part) ?? []);
  const [first] = colors;
  return member('paint', colors.every((one) => one === first) ? first : 'unknown');
}

function clipOf(value: string): Specified | undefined {
  return value === 'text' ? { paint: 'unknown' } : undefined;
}

/** In `font: italic 0/0 serif`, the size is the first length or keyword of a size. */
function fontSizeIn(value: string): FontSize | undefined {
  const parts = value.split(' ').map((part) => part.replace(/\/.*$/s, ''));
  const at = parts.findIndex((part, index) => index < parts.length - 1 && fontSize(part) !== undefined && !/^[1-9]\d*$/.test(part));
  return at === -1 ? undefined : fontSize(parts[at] ?? '');
}

/** The color of the shorthand; `transparent` where it has none, undefined if it is invalid. */
function backgroundIn(value: string): string | undefined {
  if (/url\(|gradient\(|image|element\(|,(?![^(]*\))/.test(value)) return 'unknown';
  const keywords =
    /^(?:none|repeat|repeat-x|repeat-y|no-repeat|space|round|scroll|fixed|local|left|right|top|bottom|center|cover|contain|auto|border-box|padding-box|content-box|text)$/;
  const others = splitAt(value, ' /').filter((part) => part !== '' && !keywords.test(part) && pixels(part) === undefined);
  return others.length === 0 ? 'transparent' : color(others[0] ?? '');
}
