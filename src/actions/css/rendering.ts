import { FAINTEST, looksSame } from './css-colors.ts';
import { FAR, MASK_NAMES } from './css-masks.ts';
import type { Script, Specified } from './css-properties.ts';

/** How an element is rendered, as far as its text and that of its descendants can be seen. */
export interface Rendering {
  /** Nothing inside can be seen, whatever its own styles are. */
  isGone: boolean;
  isVisible: boolean;
  /** Of itself and what is around it. */
  opacity: number;
  /** Pixels, NaN if they can't be known. */
  fontSize: number;
  indent: number;
  color: string;
  /** The color by which letters are seen besides their own. */
  paint: string;
  background: string;
  script: Script;
  keepsLines: boolean;
  keepsBlanks: boolean;
}

/** Of the page itself. */
export const PAGE: Rendering = {
  isGone: false,
  isVisible: true,
  opacity: 1,
  fontSize: 16,
  indent: 0,
  color: '#000000',
  paint: 'transparent',
  background: '#ffffff',
  script: 'none',
  keepsLines: false,
  keepsBlanks: false,
};

/** Text of this size is a point. */
const SMALLEST_FONT = 1;

/** Whether text right inside of the element can be seen. */
export function showsText({ isGone, isVisible, fontSize, indent, color, paint, background }: Rendering): boolean {
  if (isGone || !isVisible || fontSize <= SMALLEST_FONT || indent <= FAR) return false;
  return [color, paint].some((one) => one !== 'transparent' && !looksSame(one, background));
}

/** @param display how elements of this name are displayed by default */
export function renderingOf(specified: Specified, parent: Rendering, display: string): Rendering {
  const { visibility = 'inherit', fontSize, indent = parent.indent, background = 'transparent' } = specified;
  const { color = 'inherit', fill = color } = specified;
  const opacity = parent.opacity * Math.min(1, specified.opacity ?? 1);
  return {
    isGone: parent.isGone || opacity <= FAINTEST || isGone(specified, display),
    opacity,
    isVisible: visibility === 'inherit' ? parent.isVisible : visibility === 'visible',
    fontSize: fontSize === undefined ? parent.fontSize : 'pixels' in fontSize ? fontSize.pixels : fontSize.factor * parent.fontSize,
    indent,
    color: fill === 'inherit' ? parent.color : fill,
    paint: specified.paint ?? parent.paint,
    script: scriptIn(specified, parent),
    keepsLines: specified.keepsLines ?? parent.keepsLines,
    keepsBlanks: specified.keepsBlanks ?? parent.keepsBlanks,
    background: mayOverlap(specified) ? 'unknown' : background === 'transparent' ? parent.background : background,
  };
}

/** What stands on the line of a raised element is raised, too. */
function scriptIn({ script = 'none' }: Specified, parent: Rendering): Script {
  return script === 'none' ? parent.script : script;
}

function isGone(specified: Specified, byDefault: string): boolean {
  const { display = byDefault } = specified;
  const shownAs = display === 'revert' ? byDefault : display;
  if (shownAs === 'none' || MASK_NAMES.some((name) => specified[name] === true)) return true;
  return isFarOut(specified) || isShut(specified, shownAs);
}

/** Moved out of the page. */
function isFarOut({
  position = 'static',
  left = 0,
  top = 0,
  right = 0,
  bottom = 0,
  marginLeft = 0,
  marginRight = 0,
  marginTop = 0,
  paddingLeft = 0,
  isClipped,
}: Specified): boolean {
  const isOut = position === 'absolute' || position === 'fixed';
  if (isOut && isClipped === true) return true;
  // Wider than the page on both sides, or with its content moved back, it is in the page.
  const isLeftOf = marginLeft + paddingLeft <= FAR && !(marginRight <= FAR);
  if (isLeftOf || marginTop <= FAR) return true;
  return position !== 'static' && [left, top, right, bottom].some((offset) => offset <= FAR);
}

/** Without room for anything. Inline elements and parts of tables are as large as what they hold. */
function isShut(specified: Specified, display: string): boolean {
  const { position = 'static', isFloat = false, overflowX = 'visible', overflowY = 'visible' } = specified;
  const { minHeight = 0, paddingTop = 0, paddingBottom = 0, minWidth = 0, paddingLeft = 0, paddingRight = 0 } = specified;
  const isSized = !/^(?:inline$|contents|table)/.test(display) || isFloat || position === 'absolute' || position === 'fixed';
  if (!isSized) return false;
  // What scrolls in one direction scrolls in the other, too (CSS Overflow 3, section 3.1).
  const scrolls = [overflowX, overflowY].some((one) => one !== 'visible' && one !== 'clip');
  const isLow = isPoint(specified.height) || isPoint(specified.maxHeight);
  const isNarrow = isPoint(specified.width) || isPoint(specified.maxWidth);
  if (isLow && (scrolls || overflowY === 'clip') && [minHeight, paddingTop, paddingBottom].every(isPoint)) return true;
  return isNarrow && (scrolls || overflowX === 'clip') && [minWidth, paddingLeft, paddingRight].every(isPoint);
}

function isPoint(length = Number.NaN): boolean {
  return length <= 1;
}

function mayOverlap({ position = 'static', marginLeft = 0, marginTop = 0, isMoved = false }: Specified): boolean {
  return position !== 'static' || isMoved || marginLeft < 0 || marginTop < 0;
}
