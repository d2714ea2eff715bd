/** What a frame looks like before it is parsed. */
export interface Survey {
  /** Objects and lists inside each other, at most. */
  depth: number;
  /** Values in it, about: nobody needs the number exactly. */
  values: number;
  /** As the frame has it, a string or not; undefined where it names none. */
  requestId: unknown;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const SPACES: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const REQUEST_ID = Buffer.from('"requestId"');

/**
 * Walks over JSON once, without building anything: what a large frame would cost is known before it is parsed, and
 * whom to answer even where it isn't. Of text that is no JSON it finds something or other.
 */
export function surveyFrame(text: Buffer): Survey {
  const survey: Survey = { depth: 0, values: 1, requestId: undefined };
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === QUOTE) {
      const end = stringEnd(text, at);
      if (depth === 1 && text.subarray(at, end).equals(REQUEST_ID)) survey.requestId = stringAfterColon(text, end);
      at = end - 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth += 1;
      survey.values += 1;
      survey.depth = Math.max(survey.depth, depth);
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth -= 1;
    else if (byte === COMMA) survey.values += 1;
  }
  return survey;
}

/** @param start where its first quote stands. @returns the place after its last */
function stringEnd(text: Buffer, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, text.length);
}

function stringAfterColon(text: Buffer, from: number): unknown {
  const colon = skipSpaces(text, from);
  const start = skipSpaces(text, colon + 1);
  if (text[colon] !== COLON || text[start] !== QUOTE) return undefined;
  try {
    return JSON.parse(text.toString('utf8', start, stringEnd(text, start)));
  } catch {
    return undefined;
  }
}

function skipSpaces(text: Buffer, from: number): number {
  let at = from;
  while (SPACES.has(text[at])) at += 1;
  return at;
}
