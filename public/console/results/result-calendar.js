import { counts } from '../../language/en/counts.js';
import { calendar } from '../../language/en/results.js';
import { isDay } from '../../language/formatter.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { safeLink } from '../kit/safe-link.js';
import { formatter } from '../page/page-format.js';
import { readableText } from '../page/page-text.js';
import { moreNote } from './result-badges.js';

/** Of an event’s guests. */
const GUESTS_SHOWN = 8;

const isEvent = (one) => typeof one?.start === 'string' && typeof one.end === 'string' && typeof one.title === 'string';

export const isEventList = ({ items }) => Array.isArray(items) && items.length > 0 && items.every(isEvent);
export const isSingleEvent = (data) => isEvent(data) && 'all_day' in data;

/** Events by day, with the calendar's times, and the user's where they differ. */
export function eventList({ items, zone, next }) {
  return {
    count: counts.events(items.length, formatter),
    nodes: [...agenda(items, zone, (one) => event(one, zone)), moreNote(next)],
  };
}

export function singleEvent(data) {
  const { description, recurrence, link } = data;
  return {
    nodes: [
      element('p', { className: 'result-title' }, formatter.longDay(data.start, data.zone)),
      element('ul', { className: 'rows agenda' }, event(data, data.zone)),
      description ? element('div', { className: 'prose', dir: 'auto' }, readableText(description)) : undefined,
      recurrence ? element('p', { className: 'muted' }, calendar.repeats(recurrence.map(readableText))) : undefined,
      link ? element('p', {}, safeLink(link, calendar.open)) : undefined,
    ],
  };
}

function event(one, zone) {
  const { title, location, organizer, attendees = [], attendees_omitted: omitted, my_answer: mine, meeting_link: meeting } = one;
  const facts = [
    location && element('span', {}, calendar.at, element('bdi', {}, readableText(location))),
    organizer && element('span', {}, calendar.from, element('bdi', {}, readableText(organizer))),
    meeting && safeLink(meeting, calendar.meeting),
  ].filter(Boolean);
  return element(
    'li',
    { className: 'event' },
    element('span', { className: 'when' }, when(one, zone)),
    element(
      'div',
      {},
      element(
        'p',
        { className: 'event-title' },
        element('bdi', {}, readableText(title) || calendar.untitled),
        ' ',
        one.tentative ? tag('attention', calendar.tentative) : undefined,
        one.busy === false ? tag('', 'free') : undefined,
        mine === 'none' ? tag('attention', calendar.notAnswered) : undefined,
        mine === 'declined' ? tag('', 'declined') : undefined,
      ),
      facts.length === 0
        ? undefined
        : element('p', { className: 'event-facts' }, ...facts.flatMap((fact, index) => (index === 0 ? [fact] : [' · ', fact]))),
      attendees.length === 0 ? undefined : guests(attendees, omitted),
    ),
  );
}

/** Who comes: some, and the others where they are asked for. @param omitted the service left some out */
function guests(attendees, omitted) {
  const [first, others] = [attendees.slice(0, GUESTS_SHOWN), attendees.slice(GUESTS_SHOWN)];
  const more = others.length === 0 ? [] : [folded(calendar.more(others.length), namesOf(others))];
  return element('div', { className: 'event-facts' }, calendar.with, ...namesOf(first), ...more, omitted ? calendar.omitted : '');
}

function namesOf(people) {
  const named = ({ email, name, answer }) => [
    element('bdi', {}, readableText(name || email)),
    calendar.answered(calendar.answers[answer] ?? answer),
  ];
  return people.flatMap((one, index) => (index === 0 ? named(one) : [', ', ...named(one)]));
}

function folded(title, content) {
  return element('details', {}, element('summary', {}, title), ...content);
}

/** Days are the same everywhere. @param zone of the calendar */
function when({ start, end, all_day: allDay, last_day: lastDay }, zone) {
  return allDay || isDay(start) ? formatter.wholeDays({ start, lastDay }) : formatter.hours({ start, end, zone });
}

export const isFreeList = ({ items }) =>
  Array.isArray(items) && items.length > 0 && items.every((item) => typeof item?.minutes === 'number' && item.start);

/** Free time by day. */
export function freeList({ items, zone, next }) {
  const slot = ({ start, end, minutes }) =>
    element(
      'li',
      { className: 'event' },
      element('span', { className: 'when' }, formatter.hours({ start, end, zone })),
      element('span', { className: 'muted' }, calendar.free(formatter.minutes(minutes))),
    );
  return {
    count: counts.freeSlots(items.length, formatter),
    nodes: [...agenda(items, zone, slot), moreNote(next)],
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
        ? element('p', { className: 'muted' }, calendar.notBusy)
        : element(
            'ul',
            { className: 'rows agenda' },
            ...busy.map((one) =>
              element(
                'li',
                { className: 'event' },
                element('span', { className: 'when' }, when(one, zone)),
                element('span', {}, `${formatter.shortDay(one.start, zone)}, ${calendar.answers[one.answer] ?? one.answer}`),
              ),
            ),
          ),
    ),
  );
  return { count: counts.people(items.length, formatter), nodes: people };
}

function agenda(items, zone, build) {
  const days = Map.groupBy(items, ({ start }) => formatter.localDay(start, zone));
  return [...days].flatMap(([day, entries]) => [
    element('p', { className: 'result-title day' }, formatter.longDay(day)),
    element('ul', { className: 'rows agenda' }, ...entries.map(build)),
  ]);
}
