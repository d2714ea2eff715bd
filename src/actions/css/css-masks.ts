import { pixels, share } from './css-values.ts';

/** Properties that can leave nothing of an element to be seen. */
export const MASK_NAMES = ['content-visibility', 'clip-path', 'filter', 'transform', 'scale', 'translate'] as const;
export type MaskName = (typeof MASK_NAMES)[number];

/** Further out than any screen, pixels. */
export const FAR = -999;

type Arguments = readonly string[];

/** By function: whether its arguments leave nothing to be seen. */
const MASKS: Record<string, (given: Arguments) => boolean> = {
  inset: isWholeInset,
  circle: ([radius]) => isZero(radius),
  ellipse: ([x, y]) => isZero(x) || isZero(y),
  polygon: isPoint,
  opacity: ([amount]) => isZero(amount),
  scale: ([x, y]) => isZero(x) || isZero(y),
  scale3d: ([x, y]) => isZero(x) || isZero(y),
  scalex: ([x]) => isZero(x),
  scaley: ([y]) => isZero(y),
  matrix: ([a, b, c, d]) => Number(a) * Number(d) === Number(b) * Number(c),
  translate: ([x, y]) => isFar(x) || isFar(y),
  translate3d: ([x, y]) => isFar(x) || isFar(y),
  translatex: ([x]) => isFar(x),
  translatey: ([y]) => isFar(y),
};

/**
 * Whether a value of `clip-path`, `filter` or `transform` leaves nothing to be seen (CSS Shapes 1, CSS Transforms 1).
 *
 * @param value normalized
 */
export function isMask(value: string): boolean {
  return value.split(')').some((piece) => {
    const [name = '', whole = '', nested] = piece.trim().split('(');
    const [inside = ''] = whole.split(' round ');
    // A calculation can't be judged.
    if (nested !== undefined) return false;
    return Object.hasOwn(MASKS, name) && MASKS[name]?.(inside.split(/[ ,]+/).filter((one) => one !== '')) === true;
  });
}

/** Whether `clip` leaves a point at most (CSS Masking 1, section 8). @param value normalized */
export function isZeroClip(value: string): boolean {
  const inside = /^rect\(([^()]*)\)$/.exec(value)?.[1] ?? '';
  const [top, right, bottom, left] = inside
    .trim()
    .split(/[ ,]+/)
    .map((one) => pixels(one) ?? Number.NaN);
  if (top === undefined || right === undefined || bottom === undefined || left === undefined) return false;
  return bottom - top <= 1 || right - left <= 1;
}

function isZero(value: string | undefined): boolean {
  return value !== undefined && (share(value) ?? pixels(value)) === 0;
}

/** A share is one of the element's own size, which isn't far. */
function isFar(value: string | undefined): boolean {
  return value !== undefined && !value.endsWith('%') && (pixels(value) ?? 0) <= FAR;
}

function isWholeInset(given: Arguments): boolean {
  const [top = 0, right = top, bottom = top, left = right] = given.map((one) => (one.endsWith('%') ? Number.parseFloat(one) : 0));
  return top + bottom >= 100 || left + right >= 100;
}

/** Whether all corners are in one place. */
function isPoint(given: Arguments): boolean {
  const numbers = given.filter((one) => pixels(one) !== undefined).map((one) => (isZero(one) ? '0' : one));
  return numbers.length > 0 && numbers.every((one, index) => one === numbers[index % 2]);
}
