import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { unchecked } from '../../providers/transport/response-list.ts';
import { checked, responseReader } from '../../providers/transport/responses.ts';
import { singleLine } from '../shared/display-text.ts';
import { jsonBytes } from '../shared/fitting.ts';
import { page, type SlidePart, slideText } from './slide-text.ts';

/** A little below the output limit, because `next` would skip truncated slides. */
const MAX_BYTES = 200_000;
/** Beside the slides and the title: numbers. */
const BESIDE_BYTES = 200;

const presentation = z.object({ title: singleLine, slides: unchecked.default([]) });

interface SlideSelection {
  /** Numbers of slides; undefined = all. */
  numbers: number[] | undefined;
  /** First slide if all are read. */
  from: number;
  /** Where the text of one slide is continued. */
  offset: number;
  /** The largest result. */
  capBytes: number;
}

/** As many slides as fit into one result; `next` is the first that doesn't. Further slides are not parsed. */
export const slidesPart = responseReader(import.meta.url, 'slidesPart', (response, { numbers, from, offset, capBytes }: SlideSelection) => {
  const { title, slides } = checked(presentation, response);
  const count = slides.length;
  const selected = (numbers ?? slides.map((_, index) => index + 1).slice(from - 1)).filter((number) => number <= count);
  if (selected.length === 0 && (numbers !== undefined || from > 1)) throw noSuchSlide(numbers === undefined ? 'from' : 'slides', count);
  const shown: ReturnType<typeof describe>[] = [];
  const most = Math.min(MAX_BYTES, capBytes - BESIDE_BYTES) - jsonBytes(title);
  let left = most;
  for (const number of selected) {
    const slide = describe(slides[number - 1], number, { offset, bytes: most });
    left -= jsonBytes(slide) + ','.length;
    if (left < 0 && shown.length > 0) return { title, count, slides: shown, next: number };
    shown.push(slide);
  }
  return { title, count, slides: shown };
});

/** Only thrown if none of the numbers has a slide; otherwise unknown numbers are skipped. */
function noSuchSlide(field: 'from' | 'slides', count: number): AppError {
  return new AppError('invalid_request', `${field}: there is no such slide; the presentation has ${count}`);
}

function describe(response: unknown, number: number, part: SlidePart) {
  const slide = checked(page, response);
  return { number, ...slideText(slide, part), ...(slide.slideProperties?.isSkipped === true && { skipped: true as const }) };
}
