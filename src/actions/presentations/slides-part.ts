import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { unchecked } from '../../providers/response-list.ts';
import { answerReader, checked } from '../../providers/responses.ts';
import { singleLine } from '../display-text.ts';
import { page, slideText } from './slide-text.ts';

/** A little below where answers are cut, since `next` would then pass over what was cut off. */
const MAX_BYTES = 200_000;

const presentation = z.object({ title: singleLine(300), slides: unchecked.default([]) });

interface Wanted {
  /** Numbers of slides; undefined = all. */
  wanted: number[] | undefined;
  /** Where to begin when all are read. */
  from: number;
}

/** As many slides as fit into one answer; `next` is the first one that doesn't. Those after it aren't looked at. */
export const slidesPart = answerReader(import.meta.url, 'slidesPart', (answer, { wanted, from }: Wanted) => {
  const { title, slides } = checked(presentation, answer);
  const count = slides.length;
  const numbers = (wanted ?? slides.map((_, index) => index + 1).slice(from - 1)).filter((number) => number <= count);
  if (numbers.length === 0 && (wanted !== undefined || from > 1)) throw beyond(wanted === undefined ? 'from' : 'slides', count);
  const shown: ReturnType<typeof describe>[] = [];
  let left = MAX_BYTES;
  for (const number of numbers) {
    const slide = describe(slides[number - 1], number);
    left -= Buffer.byteLength(JSON.stringify(slide));
    if (left < 0 && shown.length > 0) return { title, count, slides: shown, next: number };
    shown.push(slide);
  }
  return { title, count, slides: shown };
});

/** Of numbers some of which have a slide, the others are passed over: `count` says why. */
function beyond(field: 'from' | 'slides', count: number): AppError {
  return new AppError('invalid_request', `${field}: there is no such slide; the presentation has ${count}`);
}

function describe(answer: unknown, number: number) {
  const slide = checked(page, answer);
  return { number, ...slideText(slide), ...(slide.slideProperties?.isSkipped === true && { skipped: true as const }) };
}
