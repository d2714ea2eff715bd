import type { Specified } from './css-properties.ts';
import { looksSame } from './css-values.ts';

/** How an element is rendered, as far as its text and that of its descendants can be seen. */
export interface Rendering {
  /** Nothing inside can be seen, whatever its own styles are. */
  isGone: boolean;
  isVisible: boolean;
  /** Pixels. */
  fontSize: number;
  indent: number;
  color: string;
  background: string;
}

/** Of the page itself. */
export const PAGE: Rendering = { isGone: false, isVisible: true, fontSize: 16, indent: 0, color: '#000000', background: '#ffffff' };

/** Text of this size is a point. */
const SMALLEST_FONT = 1;
/** Further out than any screen. */
const FAR = -999;
const FAINTEST = 0.02;

/** Whether text right inside of the element can be seen. */
export function showsText({ isGone, isVisible, fontSize, indent, color, background }: Rendering): boolean {
  return !isGone && isVisible && fontSize > SMALLEST_FONT && indent > FAR && color !== 'transparent' && !looksSame(color, background);
}

/** @param display how elements of this name are displayed by default */
export function renderingOf(specified: Specified, parent: Rendering, display: string): Rendering {
  const { visibility = 'inherit', fontSize, indent = parent.indent, color = 'inherit', background = 'transparent' } = specified;
  return {
    isGone: parent.isGone || isGone(specified, display),
    isVisible: visibility === 'inherit' ? parent.isVisible : visibility === 'visible',
    fontSize: fontSize === undefined ? parent.fontSize : 'pixels' in fontSize ? fontSize.pixels : fontSize.factor * parent.fontSize,
    indent,
    color: color === 'inherit' ? parent.color : color,
    background: mayOverlap(specified) ? 'unknown' : background === 'transparent' ? parent.background : background,
  };
}

function isGone(specified: Specified, byDefault: string): boolean {
  const { display = byDefault, opacity = 1, isLeftOut = false, isMasked = false } = specified;
  const shownAs = display === 'revert' ? byDefault : display;
  return shownAs === 'none' || opacity <= FAINTEST || isLeftOut || isMasked || isFarOut(specified) || isShut(specified, shownAs);
}

/** Moved out of the page. */
function isFarOut({
  position = 'static',
  left = 0,
  top = 0,
  right = 0,
  bottom = 0,
  marginLeft = 0,
  marginTop = 0,
  isClipped,
}: Specified): boolean {
  const isOut = position === 'absolute' || position === 'fixed';
  if (isOut && isClipped === true) return true;
  if (marginLeft <= FAR || marginTop <= FAR) return true;
  return position !== 'static' && [left, top, right, bottom].some((offset) => offset <= FAR);
}

/** Without room for anything. Inline elements and parts of tables are as large as what they hold. */
function isShut(specified: Specified, display: string): boolean {
  const { position = 'static', clipsX = false, clipsY = false } = specified;
  const { height = Number.NaN, maxHeight = Number.NaN, width = Number.NaN, maxWidth = Number.NaN } = specified;
  const isSized = !/^(?:inline$|contents|table)/.test(display) || position === 'absolute' || position === 'fixed';
  if (!isSized) return false;
  return (clipsY && (height <= 1 || maxHeight <= 1)) || (clipsX && (width <= 1 || maxWidth <= 1));
}

function mayOverlap({ position = 'static', marginLeft = 0, marginTop = 0, isMoved = false }: Specified): boolean {
  return position !== 'static' || isMoved || marginLeft < 0 || marginTop < 0;
}
