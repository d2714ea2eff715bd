import { clockRange } from '../../../public/language/en/times.js';
import { Formatter } from '../../../public/language/formatter.js';
import { zoneWords } from '../../../public/language/zones.js';
import type { ShownSpan, ShownTime } from '../../actions/shared/shown.ts';
import type { Reader } from './display-fields.ts';

/** When an event is: in its own zone, and in the user's if clocks show another time there. @param reader without a zone, it isn't known */
export function spanText(
  { start, end }: Partial<ShownSpan>,
  { zone: own, language }: Reader,
): { text: string; local?: string } | undefined {
  if (start === undefined) return undefined;
  const formatter = new Formatter({ language, timeZone: own ?? 'UTC' });
  const text = written(formatter, start, end ?? start);
  if (own === undefined || !('at' in start) || formatter.dateTime(start.at) === formatter.dateTime(start.at, start.zone)) return { text };
  const elsewhere = (time: ShownTime) => ('at' in time ? { ...time, zone: own } : time);
  return { text, local: written(formatter, elsewhere(start), elsewhere(end ?? start)) };
}

/** “Mon, 22 Mar 2027, 12:00–13:00 Berlin time” */
function written(formatter: Formatter, start: ShownTime, end: ShownTime): string {
  const [from, to] = [dayOf(formatter, start), dayOf(formatter, end)];
  if (!('at' in start) || !('at' in end)) return from === to ? from : `${from} to ${to}`;
  const [zone, endZone] = [start, end].map((time) => zoneWords(time.zone ?? formatter.timeZone, time.at));
  if (from !== to || zone !== endZone) return `${formatter.zonedTime(start.at, start.zone)} to ${formatter.zonedTime(end.at, end.zone)}`;
  if (start.at === end.at) return formatter.zonedTime(start.at, start.zone);
  const clocks = clockRange(formatter.time(start.at, start.zone), formatter.time(end.at, end.zone), undefined);
  return `${from}, ${clocks} ${zone}`;
}

function dayOf(formatter: Formatter, time: ShownTime): string {
  return 'at' in time ? formatter.day(time.at, time.zone) : formatter.day(time.date);
}
