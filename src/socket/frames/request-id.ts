import { JsonBudget } from '../../validation/json-budget.ts';

const NAME = '"requestId"';
/** The request id as the last property of the outermost object, where clients put it that add it to a finished request. */
const LAST = /[{,]\s*"requestId"\s*:\s*("(?:[^"\\]|\\.)*")\s*\}\s*$/;
/** What follows its name. */
const VALUE = /^\s*:\s*("(?:[^"\\]|\\.)*")/;
/** Of a text's end, searched for it, and of what follows its name: an id of 64 characters, each escaped. */
const ID_BYTES = 512;
/** Of a text's beginning, searched for its name. */
const SEARCHED = 512 * 1024;

/**
 * The request id of a frame that is not parsed, for its error: the first property of that name of the outermost object, near
 * the beginning, or else the last property of the frame.
 *
 * @returns as sent; undefined: there is none, or it is not a string
 */
export function requestIdIn(text: Buffer): unknown {
  const begin = text.subarray(0, SEARCHED);
  const budget = new JsonBudget();
  for (let [from, at] = [0, begin.indexOf(NAME)]; at !== -1; [from, at] = [at, begin.indexOf(NAME, at + NAME.length)]) {
    if (budget.add(begin.subarray(from, at)) !== undefined) break;
    const found = budget.isOutermost ? VALUE.exec(latin1(text, at + NAME.length)) : null;
    if (found !== null) return stringOf(found);
  }
  return stringOf(LAST.exec(latin1(text, Math.max(0, text.length - ID_BYTES))));
}

function latin1(text: Buffer, from: number): string {
  return text.toString('latin1', from, from + ID_BYTES);
}

function stringOf(found: RegExpExecArray | null): unknown {
  try {
    return JSON.parse(Buffer.from(found?.[1] ?? '', 'latin1').toString());
  } catch {
    return undefined;
  }
}
