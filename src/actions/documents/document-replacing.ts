import { isObject } from '../../validation/is-object.ts';

/** A text that takes the place of another, everywhere. */
export interface Replacement {
  find: string;
  replace: string;
}

/** What a replacement does to a part of a document. */
export interface ReplacementEffect {
  /** Occurrences of what is searched, in the same case. */
  matches: number;
  /** Replacing the new text by the old one gives the same text in the same styles. */
  isReversible: boolean;
}

/** Stands for an object in a paragraph; no text that is written contains it. */
const OBJECT = '\ue907';
/** New text in one paragraph with which the replacement is tried out; UTF-16 units. */
const MAX_TRIED = 1_000_000;

/** @param parts JSON of the provider's, with the paragraphs of bodies, headers, footers and footnotes at any depth */
export function effectOn(parts: unknown, { find, replace }: Replacement): ReplacementEffect {
  let matches = 0;
  let isReversible = replace !== '' && !replace.includes('\n');
  for (const runs of paragraphsIn(parts)) {
    const text = runs.join('');
    const here = count(text, find);
    matches += here;
    const isInsideRuns = runs.reduce((sum, run) => sum + count(run, find), 0) === here;
    isReversible &&= isInsideRuns && here * replace.length <= MAX_TRIED;
    isReversible &&= text.replaceAll(find, () => replace).replaceAll(replace, () => find) === text;
  }
  return { matches, isReversible };
}

/** The runs of each paragraph, without its line break. */
function* paragraphsIn(parts: unknown): Generator<string[]> {
  const open = [parts];
  while (open.length > 0) {
    const part = open.pop();
    if (Array.isArray(part)) for (const one of part) open.push(one);
    else if (isObject(part) && Array.isArray(part.elements)) yield part.elements.map(runOf);
    else if (isObject(part)) for (const one of Object.values(part)) open.push(one);
  }
}

function runOf(element: unknown): string {
  const content = isObject(element) && isObject(element.textRun) ? element.textRun.content : undefined;
  return typeof content === 'string' ? content.replace(/\n$/, '') : OBJECT;
}

function count(text: string, find: string): number {
  return find === '' ? 0 : text.split(find).length - 1;
}
