import { didYouMean } from '../../validation/nearest-name.ts';

type Jmespath = typeof import('@jmespath-community/jmespath');

const BRACKETS: Readonly<Record<string, string>> = { '[': ']', '[?': ']', '{': '}', '(': ')' };

/**
 * The problem of a JMESPath expression that can't be parsed, in plain words with its position.
 *
 * @param cause the parser's own error
 */
export function expressionDiagnostic(jmespath: Jmespath, expression: string, cause: unknown): string {
  return `is not a valid JMESPath expression: ${unlexable(jmespath, expression, cause) ?? misplaced(jmespath, expression)}`;
}

/** An unknown function, with the existing ones. */
export function unknownFunction(jmespath: Jmespath, name: string): string {
  return `there is no JMESPath function ${name}${didYouMean(name, jmespath.getRegisteredFunctions())}`;
}

/** undefined: its characters make up words and signs, but not in this order. */
function unlexable(jmespath: Jmespath, expression: string, cause: unknown): string | undefined {
  if (!(cause instanceof Error) || cause.name !== 'LexerError') return undefined;
  if (cause.message.includes('unknown character')) {
    const at = firstFailing(expression.length, (length) =>
      fails(() => jmespath.tokenize(expression.slice(0, length)), 'unknown character'),
    );
    const [character = ''] = expression.slice(at - 1);
    return `“${character}” at character ${at} means nothing there`;
  }
  const isLiteral = cause.message.includes('JSON literal');
  const at = expression.indexOf(isLiteral ? '`' : '"') + 1;
  if (isLiteral) return `the literal in backquotes at character ${at} isn’t ended, or is no JSON; a text stands in single quotes`;
  return `the name in double quotes at character ${at} isn’t ended`;
}

/** The first word or sign that can't follow those before it. */
function misplaced(jmespath: Jmespath, expression: string): string {
  const tokens = jmespath.tokenize(expression);
  if (tokens.length === 0) return 'it is empty';
  const end = (count: number) => tokens[count]?.start ?? expression.length;
  const count = firstFailing(tokens.length, (length) => fails(() => jmespath.compile(expression.slice(0, end(length))), undefined));
  const token = tokens[count - 1];
  if (token === undefined) return unfinished(tokens);
  const text = expression.slice(token.start, end(count)).trim();
  const inBrackets = tokens[count - 2]?.type === 'Lbracket';
  const hint = inBrackets ? '; fields of a list’s entries are written list[].field' : text === '=' ? '; values are compared with ==' : '';
  return `“${text}” at character ${token.start + 1} doesn’t fit after what stands before it${hint}`;
}

/** @param tokens of an expression that ends too early */
function unfinished(tokens: ReturnType<Jmespath['tokenize']>): string {
  const open: { start: number; text: string }[] = [];
  for (const { start, value } of tokens) {
    const text = String(value);
    if (BRACKETS[text]) open.push({ start, text });
    else if (open.length > 0 && text === BRACKETS[open.at(-1)?.text ?? '']) open.pop();
  }
  const last = open.at(-1);
  if (last === undefined) return 'something is missing at its end';
  return `the “${last.text}” at character ${last.start + 1} isn’t closed with “${BRACKETS[last.text]}”`;
}

/**
 * @param isBad false for short beginnings, true from some length on
 * @returns that length, or `most + 1`
 */
function firstFailing(most: number, isBad: (length: number) => boolean): number {
  let [low, high] = [1, most + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isBad(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** An incomplete but valid beginning is not a failure. */
function fails(attempt: () => unknown, having: string | undefined): boolean {
  try {
    attempt();
    return false;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    return having === undefined ? !message.includes('EOF') : message.includes(having);
  }
}
