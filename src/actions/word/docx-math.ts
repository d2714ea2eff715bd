import { type Attributes, attribute } from './docx-package.ts';

interface MathObject {
  name: string;
  /** Characters and kinds that its properties name. */
  properties: Map<string, string>;
  /** Operands of each name so far. */
  counts: Map<string, number>;
}

/** What begins with an element of a formula. */
export interface MathPart {
  /** Text before it, even if it is empty. */
  text: string;
  /** Before its first text, for an operand that may need brackets. */
  before: string | undefined;
}

/** Of a formula (ECMA-376 part 1, clause 22.1.2). */
const OBJECTS = new Set([
  ...['oMath', 'f', 'sSup', 'sSub', 'sSubSup', 'sPre', 'nary', 'rad', 'd', 'func', 'acc', 'bar'],
  ...['limLow', 'limUpp', 'm', 'mr', 'eqArr', 'box', 'borderBox', 'groupChr', 'phant'],
]);
const PROPERTIES = new Set(['begChr', 'endChr', 'sepChr', 'chr', 'type', 'pos']);
/** What stands before an operand, by its object and its name. */
const SIGNS: Partial<Record<string, string>> = {
  ...{ 'f/num': '', 'f/den': '/', 'sSup/e': '', 'sSub/e': '', 'sSubSup/e': '', 'sPre/e': '' },
  ...{ 'rad/deg': '', 'rad/e': '√', 'func/e': ' ', 'acc/e': '', 'bar/e': '' },
  ...{ 'limLow/lim': '_', 'limUpp/lim': '^' },
};
const SCRIPTS: Partial<Record<string, string>> = { sub: '_', sup: '^' };
/** Between equal parts. */
const SEPARATORS: Partial<Record<string, string>> = { 'mr/e': ', ', 'm/mr': '; ', 'eqArr/e': '; ' };
const [INTEGRAL, HAT, OVERLINE, UNDERLINE] = ['∫', '\u0302', '\u0305', '\u0332'];
/** A fraction without a bar is no quotient: a binomial coefficient, for example. */
const STACK = '¦';

/** The formula that is open, written in one line: `(a+b)/2`, `∑_(i=1)^n x`. */
export class DocxMath {
  readonly #open: MathObject[] = [];

  /** An element begins. @returns undefined: it is no part of a formula */
  begin(name: string, attributes: Attributes): MathPart | undefined {
    const parent = this.#open.at(-1);
    if (parent === undefined && name !== 'oMath') return undefined;
    if (parent !== undefined && PROPERTIES.has(name)) parent.properties.set(name, attribute(attributes, 'val') ?? '');
    const part = parent === undefined ? undefined : partOf(parent, name);
    if (OBJECTS.has(name)) this.#open.push({ name, properties: new Map(), counts: new Map() });
    return part;
  }

  /** An element ends. @returns what follows it */
  end(name: string): string {
    const object = this.#open.at(-1);
    if (object === undefined || object.name !== name) return '';
    this.#open.pop();
    if (name === 'd') return (object.counts.size === 0 ? opening(object) : '') + (object.properties.get('endChr') ?? ')');
    if (name === 'acc') return object.properties.get('chr') ?? HAT;
    return name === 'bar' ? (object.properties.get('pos') === 'top' ? OVERLINE : UNDERLINE) : '';
  }
}

function partOf(object: MathObject, name: string): MathPart | undefined {
  const place = `${object.name}/${name}`;
  const sign = place === 'f/den' && object.properties.get('type') === 'noBar' ? STACK : (SIGNS[place] ?? SCRIPTS[name]);
  if (sign === undefined && SEPARATORS[place] === undefined && name !== 'e') return undefined;
  const [number, isFirst] = [object.counts.get(name) ?? 0, object.counts.size === 0];
  object.counts.set(name, number + 1);
  return { text: isFirst ? opening(object) : separator(object, name, number), before: sign };
}

/** What an object begins with. */
function opening({ name, properties }: MathObject): string {
  if (name === 'd') return properties.get('begChr') ?? '(';
  return name === 'nary' ? (properties.get('chr') ?? INTEGRAL) : '';
}

function separator({ name: object, properties }: MathObject, name: string, number: number): string {
  if (object === 'nary' && name === 'e') return ' ';
  if (number === 0) return '';
  return object === 'd' ? (properties.get('sepChr') ?? '|') : (SEPARATORS[`${object}/${name}`] ?? '');
}
