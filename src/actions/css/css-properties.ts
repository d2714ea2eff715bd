import { splitAt } from './css-scanner.ts';
import { color, type FontSize, fontSize, pixels, share } from './css-values.ts';

/** What styles say about whether an element's text can be seen; a member is absent where they say nothing. */
export interface Specified {
  display?: string;
  visibility?: string;
  fontSize?: FontSize;
  /** Of the text itself. */
  color?: string;
  /** A color, or `unknown` for an image. */
  background?: string;
  opacity?: number;
  /** It is one that a mail program doesn't show. */
  isLeftOut?: boolean;
  clipsX?: boolean;
  clipsY?: boolean;
  height?: number;
  maxHeight?: number;
  width?: number;
  maxWidth?: number;
  indent?: number;
  position?: string;
  left?: number;
  top?: number;
  right?: number;
  bottom?: number;
  marginLeft?: number;
  marginTop?: number;
  /** Nothing is left of it by `clip`, which only applies to positioned elements. */
  isClipped?: boolean;
  /** The same by `clip-path`, `transform`, `filter`. */
  isMasked?: boolean;
  /** Moved to where it may lie above other things. */
  isMoved?: boolean;
}

const DISPLAYS =
  /^(?:none|contents|(?:inline|block|run-in|list-item|flow|flow-root|inline-block|table|inline-table|flex|inline-flex|grid|inline-grid|ruby|math|-webkit-(?:inline-)?box|-webkit-(?:inline-)?flex|-ms-(?:inline-)?(?:flexbox|grid)|table-(?:row-group|header-group|footer-group|row|cell|column-group|column|caption)|ruby-(?:base|text)(?:-container)?)(?: (?:flow|flow-root|flex|grid|table|ruby|list-item)){0,2})$/;
const ZERO_CLIP = /^rect\( ?([\d.]+)(?:px)?[ ,]+([\d.]+)(?:px)?[ ,]+([\d.]+)(?:px)?[ ,]+([\d.]+)(?:px)? ?\)$/;
/** Shapes, sizes and places that leave nothing to be seen. */
const MASKS =
  /(?:^| )(?:inset\( ?(?:[5-9]\d|100)%|circle\( ?0|ellipse\( ?0|scale(?:3d|x|y)?\( ?0(?:\.0*)?[ ,)]|opacity\( ?0(?:\.0*)?%? ?\)|translate(?:3d|x|y)?\( ?-\d{4})/;
const KEYWORDS = new Set(['inherit', 'initial', 'unset', 'revert', 'revert-layer']);

type Reader = (value: string) => Specified | undefined;

/** Readers of properties: undefined for an invalid value, which leaves what was said before. */
const READERS: Record<string, Reader> = {
  display: (display) => (DISPLAYS.test(display) ? { display } : undefined),
  visibility: (visibility) => (/^(?:visible|hidden|collapse)$/.test(visibility) ? { visibility } : undefined),
  'content-visibility': (value) => (/^(?:visible|auto|hidden)$/.test(value) ? { isMasked: value === 'hidden' } : undefined),
  opacity: (value) => member('opacity', share(value)),
  'font-size': (value) => member('fontSize', fontSize(value)),
  font: (value) => member('fontSize', fontSizeIn(value)),
  color: (value) => member('color', color(value)),
  '-webkit-text-fill-color': (value) => (color(value) === 'transparent' ? { color: 'transparent' } : undefined),
  'background-color': (value) => member('background', color(value)),
  'background-image': (value) => (value === 'none' ? undefined : { background: 'unknown' }),
  background: (value) => ({ background: backgroundIn(value) }),
  // Of Microsoft's mail programs; what it hides is meant for no reader.
  'mso-hide': (value) => (/^(?:all|screen|none)$/.test(value) ? { isLeftOut: value !== 'none' } : undefined),
  overflow: overflowOf,
  'overflow-x': (value) => ({ clipsX: clips(value) }),
  'overflow-y': (value) => ({ clipsY: clips(value) }),
  height: (value) => sizeOf('height', value),
  'max-height': (value) => sizeOf('maxHeight', value),
  width: (value) => sizeOf('width', value),
  'max-width': (value) => sizeOf('maxWidth', value),
  'text-indent': (value) =>
    member('indent', value.startsWith('-') && value.endsWith('%') ? -10 * Number.parseFloat(value.slice(1)) : pixels(value)),
  position: (value) => (/^(?:static|relative|absolute|fixed|sticky|-webkit-sticky)$/.test(value) ? { position: value } : undefined),
  left: (value) => sizeOf('left', value),
  top: (value) => sizeOf('top', value),
  right: (value) => sizeOf('right', value),
  bottom: (value) => sizeOf('bottom', value),
  margin: marginsOf,
  'margin-left': (value) => sizeOf('marginLeft', value),
  'margin-top': (value) => sizeOf('marginTop', value),
  clip: (value) => ({ isClipped: isZeroClip(value) }),
  'clip-path': masked,
  '-webkit-clip-path': masked,
  filter: masked,
  transform: (value) => ({ ...masked(value), ...(value !== 'none' && { isMoved: true }) }),
};

/** What a property says, without what it leaves to its default. @param value normalized @returns undefined if it is invalid, or of no interest */
export function readProperty(name: string, value: string): Specified | undefined {
  const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (read === undefined) return undefined;
  return KEYWORDS.has(value) || value.includes('var(') ? byKeyword(name, value) : read(value);
}

/** What `inherit`, `initial`, `unset` and variables mean, as far as it differs from saying nothing. */
function byKeyword(name: string, value: string): Specified | undefined {
  if (name === 'font-size' || name === 'font') return value === 'initial' ? { fontSize: { pixels: 16 } } : { fontSize: { factor: 1 } };
  if (name === 'visibility') return { visibility: value === 'initial' ? 'visible' : 'inherit' };
  if (name === 'color') return { color: value === 'initial' ? '#000000' : 'inherit' };
  if (name === 'display') return { display: value.startsWith('revert') ? 'revert' : 'inline' };
  if (name === 'opacity') return { opacity: 1 };
  if (name === 'position') return { position: 'static' };
  if (name.startsWith('background')) return { background: 'transparent' };
  return READERS[name]?.(name === 'overflow' || name === 'content-visibility' ? 'visible' : 'none');
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
  return /^(?:visible|hidden|clip|scroll|auto)$/.test(x) ? { clipsX: clips(x), clipsY: clips(y) } : undefined;
}

function clips(value: string): boolean {
  return value === 'hidden' || value === 'clip';
}

function marginsOf(value: string): Specified | undefined {
  const [top = '', right = top, , left = right] = value.split(' ');
  return { ...sizeOf('marginTop', top), ...sizeOf('marginLeft', left) };
}

function masked(value: string): Specified {
  return { isMasked: MASKS.test(value) };
}

function isZeroClip(value: string): boolean {
  const [, top, right, bottom, left] = (ZERO_CLIP.exec(value) ?? []).map(Number);
  if (top === undefined || right === undefined || bottom === undefined || left === undefined) return false;
  return bottom - top <= 1 || right - left <= 1;
}

/** In `font: italic 0/0 serif`, the size is the first length or keyword of a size. */
function fontSizeIn(value: string): FontSize | undefined {
  const parts = value.split(' ').map((part) => part.replace(/\/.*$/s, ''));
  const at = parts.findIndex((part, index) => index < parts.length - 1 && fontSize(part) !== undefined && !/^[1-9]\d*$/.test(part));
  return at === -1 ? undefined : fontSize(parts[at] ?? '');
}

/** The color of the shorthand; `transparent` where it has none. */
function backgroundIn(value: string): string {
  if (/url\(|gradient\(|image|element\(|,(?![^(]*\))/.test(value)) return 'unknown';
  const keywords =
    /^(?:none|repeat|repeat-x|repeat-y|no-repeat|space|round|scroll|fixed|local|left|right|top|bottom|center|cover|contain|auto|border-box|padding-box|content-box|text|\/)$/;
  const colors = splitAt(value, ' ').flatMap((part) => (part === '' || keywords.test(part) ? [] : (color(part) ?? [])));
  return colors[0] ?? 'transparent';
}
