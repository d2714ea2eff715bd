import { formatCount, formatDay, formatMinutes, formatShortDay, formatTime, isDay, localDay } from '../format.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { safeLink } from '../kit/safe-link.js';
import { readableText } from '../page/page-text.js';
import { moreNote } from './result-badges.js';

const ANSWERS = { accepted: 'accepted', declined: 'declined', tentative: 'maybe', none: 'no answer' };

const isEvent = (one) => typeof one?.start === 'string' && typeof one.end === 'string' && typeof one.title === 'string';

export const isEventList = ({ items }) => Array.isArray(items) && items.length > 0 && items.every(isEvent);
export const isSingleEvent = (data) => isEvent(data) && 'all_day' in data;

/** Events by day, with the browser's times. */
export function eventList({ items, zone, next }) {
  return {
    count: formatCount(items.length, 'event'),
    nodes: [...agenda(items, ({ start }) => localDay(start), event), zoneNote(zone), moreNote(next)],
  };
}

export function singleEvent(data) {
  const { description, recurrence, link } = data;
  return {
    nodes: [
      element('p', { className: 'result-title' }, `${formatDay(data.start)}`),
      element('ul', { className: 'rows agenda' }, event(data)),
      description ? element('div', { className: 'prose', dir: 'auto' }, readableText(description)) : undefined,
      recurrence ? element('p', { className: 'muted' }, `Repeats: ${recurrence.map(readableText).join(', ')}`) : undefined,
      link ? element('p', {}, safeLink(link, 'Open in the calendar')) : undefined,
    ],
  };
}

function event(one) {
  const { title, location, organizer, attendees = [], attendees_omitted: omitted, my_answer: mine, meeting_link: meeting } = one;
  const facts = [
    location && element('span', {}, `at ${readableText(location)}`),
    organizer && element('span', {}, 'from ', element('bdi', {}, readableText(organizer))),
    meeting && safeLink(meeting, 'Meeting'),
  ].filter(Boolean);
  return element(
    'li',
    { className: 'event' },
    element('span', { className: 'when' }, when(one)),
    element(
      'div',
      {},
      element(
        'p',
        { className: 'event-title', dir: 'auto' },
        readableText(title) || '(no title)',
        ' ',
        one.tentative ? tag('attention', 'tentative') : undefined,
        one.busy === false ? tag('', 'free') : undefined,
        mine === 'none' ? tag('attention', 'not answered') : undefined,
        mine === 'declined' ? tag('', 'declined') : undefined,
      ),
      facts.length === 0
        ? undefined
        : element('p', { className: 'event-facts' }, ...facts.flatMap((fact, index) => (index === 0 ? [fact] : [' · ', fact]))),
      attendees.length === 0
        ? undefined
        : element(
            'p',
            { className: 'event-facts' },
            'With ',
            attendees.map(({ email, name, answer }) => `${readableText(name || email)} (${ANSWERS[answer] ?? answer})`).join(', '),
            omitted ? ' and more' : '',
          ),
    ),
  );
}

/** Days are the same everywhere; times are the browser's. */
function when({ start, end, all_day: allDay, last_day: lastDay }) {
  if (allDay || isDay(start)) return lastDay && lastDay !== start ? `until ${formatShortDay(lastDay)}` : 'all day';
  const sameDay = localDay(start) === localDay(end);
  return `${formatTime(start)} – ${sameDay ? formatTime(end) : `${formatShortDay(end)}, ${formatTime(end)}`}`;
}

export const isFreeList = ({ items }) =>
  Array.isArray(items) && items.length > 0 && items.every((item) => typeof item?.minutes === 'number' && item.start);

/** Free time by day. */
export function freeList({ items, zone, next }) {
  const slot = ({ start, end, minutes }) =>
    element(
      'li',
      { className: 'event' },
      element('span', { className: 'when' }, `${formatTime(start)} – ${formatTime(end)}`),
      element('span', { className: 'muted' }, `${formatMinutes(minutes)} free`),
    );
  return {
    count: formatCount(items.length, 'free slot'),
    nodes: [...agenda(items, ({ start }) => localDay(start), slot), zoneNote(zone), moreNote(next)],
  };
}

export const isBusyList = ({ items }) =>
  Array.isArray(items) && items.length > 0 && items.every((item) => Array.isArray(item?.busy) && typeof item.email === 'string');

/** When people are busy. */
export function busyList({ items, zone }) {
  const people = items.map(({ email, busy }) =>
    element(
      'div',
      {},
      element('p', { className: 'result-title' }, readableText(email)),
      busy.length === 0
        ? element('p', { className: 'muted' }, 'No event in your calendar says that they are busy.')
        : element(
            'ul',
            { className: 'rows agenda' },
            ...busy.map((one) =>
              element(
                'li',
                { className: 'event' },
                element('span', { className: 'when' }, when(one)),
                element('span', {}, `${formatShortDay(one.start)}, ${ANSWERS[one.answer] ?? one.answer}`),
              ),
            ),
          ),
    ),
  );
  return { count: formatCount(items.length, 'person', 'people'), nodes: [...people, zoneNote(zone)] };
}

function agenda(items, dayOf, build) {
  const days = Map.groupBy(items, dayOf);
  return [...days].flatMap(([day, entries]) => [
    element('p', { className: 'result-title day' }, formatDay(day)),
    element('ul', { className: 'rows agenda' }, ...entries.map(build)),
  ]);
}

function zoneNote(zone) {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone === undefined || zone === here) return undefined;
  return element('p', { className: 'muted result-more' }, `Times of this browser (${here}); the calendar’s zone is ${readableText(zone)}.`);
}
