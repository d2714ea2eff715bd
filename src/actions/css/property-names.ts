/** In text that runs from left to right and from top to bottom (CSS Logical Properties 1). */
const DIRECTIONS: Record<string, string> = {
  'inline-start': 'left',
  'inline-end': 'right',
  'block-start': 'top',
  'block-end': 'bottom',
};
const SIZES: Record<string, string> = { 'inline-size': 'width', 'block-size': 'height' };

/** The name of the property that a flow-relative one stands for; any other name as it is. @param name in lower case */
export function physicalName(name: string): string {
  const [, side = '', direction = ''] = /^(inset|margin|padding)-((?:inline|block)-(?:start|end))$/.exec(name) ?? [];
  const place = DIRECTIONS[direction];
  if (place !== undefined) return side === 'inset' ? place : `${side}-${place}`;
  const [, bound = '', size = ''] = /^(m(?:in|ax)-)?((?:inline|block)-size)$/.exec(name) ?? [];
  return size === '' ? name : `${bound}${SIZES[size]}`;
}
