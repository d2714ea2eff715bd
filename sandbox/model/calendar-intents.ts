import { eventLine, eventText, timesOf, when } from './answers.ts';
import type { Intent, Said } from './intent.ts';
import { findEvent } from './lookups.ts';
import { obstacleText, type Plan, type World } from './plans.ts';
import { type DayRange, dayIn, daysIn, hourAfter, numberIn, timesIn } from './said-dates.ts';
import { addressesIn, unquoted } from './said-text.ts';
import { type Data, listOf, str } from './tool-results.ts';

/** Unanswered invitations of a list that are read. */
const MOST_INVITATIONS = 3;
const EVENT = '(?:the |my |our )?(?:event|meeting|appointment|invitation)';

/** Reading and changing events. */
export const calendarIntents: readonly Intent[] = [
  {
    example: 'Am I free on Tuesday at ten?',
    pattern:
      /^(?:am i|do i have|have i|when am i|find me|find|is there|when do i have|are there|show(?: me)?|list)(?: any| an?| some| time)*(?<what>.*\b(?:free|available|time)\b.*)$/i,
    *plan(_said, world) {
      const days = daysIn(world.said, world.now);
      const minutes = lengthIn(world.said);
      const { items, zone } = yield* world.run('calendar_free', { ...days, ...(minutes !== undefined && { minutes }) });
      return freeText(listOf(items), (slot) => timesOf(slot, world.words, zone), days, timesIn(world.said)[0]);
    },
  },
  {
    example: 'When is ana.mueller@example.org busy this week?',
    pattern: /^(?:when (?:is|are)|is|are) (?<who>.+@\S+) (?:busy|occupied|in meetings)(?<rest>.*)$/i,
    *plan({ who = '', rest = '' }, world) {
      const { items, zone } = yield* world.run('calendar_busy', { people: addressesIn(who), ...daysIn(rest, world.now) });
      const lines = listOf(items).map(({ email, busy }) => {
        const times = listOf(busy).map((one) => timesOf(one, world.words, zone));
        return `- ${str(email)}: ${times.join('; ') || 'not in any of your events'}`;
      });
      return ['As far as your own calendar shows:', ...lines].join('\n');
    },
  },
  {
    example: 'Create an event “Planning” on Friday from 10:00 to 11:30 with bob@example.com.',
    pattern: /^(?:create|add|schedule|plan|set up|make|put)(?: me)? (?:an? )?(?:new )?(?:event|meeting|appointment|call)(?<rest> .+)$/i,
    *plan({ rest = '' }, world) {
      const event = yield* world.run('calendar_create', newEvent(rest, world));
      return `I created the event ${eventText(event, world.words)}`;
    },
  },
  {
    example: 'Invite bob@example.com to the event Jour fixe.',
    pattern: /^(?:invite|add) (?<who>.*@\S+)(?: as an? (?:guest|attendee))? to (?<event>.+)$/i,
    *plan({ who = '', event = '' }, world) {
      return yield* update(event, { add_attendees: addressesIn(who) }, world);
    },
  },
  {
    example: 'Uninvite tom@partner.example from the event Jour fixe.',
    pattern: /^(?:uninvite|remove|disinvite) (?<who>.*@\S+) from (?<event>.+)$/i,
    *plan({ who = '', event = '' }, world) {
      return yield* update(event, { remove_attendees: addressesIn(who) }, world);
    },
  },
  {
    example: 'Move the event Arzttermin to Friday at 9:00.',
    pattern: new RegExp(`^(?:move|reschedule|postpone|shift) (?<event>${EVENT}.*?|it) to (?<time>.+)$`, 'i'),
    *plan({ event = '', time = '' }, world) {
      const found = yield* findEvent(event, world);
      const day = dayIn(time, world.now) ?? str(found.start).slice(0, 10);
      const [start] = timesIn(`at ${time.replace(/^.*\bat /i, '')}`);
      const changed = yield* world.run('calendar_update', {
        id: str(found.id),
        start: start === undefined ? movedTo(found, day) : `${day}T${start}`,
      });
      return `I moved the event ${eventText(changed, world.words)}`;
    },
  },
  {
    example: 'Rename the event Monatsabschluss to Month end.',
    pattern: new RegExp(`^(?:rename|retitle) (?<event>${EVENT}.*?) to (?<title>.+)$`, 'i'),
    *plan({ event = '', title = '' }, world) {
      return yield* update(event, { title: unquoted(title) }, world);
    },
  },
  {
    example: 'Decline the invitation Vertragsgespräch.',
    pattern: /^(?<answer>(?:tentatively )?accept|decline)(?: it)? ?(?<event>.*)$/i,
    *plan({ answer = '', event = '' }, world) {
      const { id } = yield* findEvent(event === '' ? 'it' : event, world);
      const response = /^tent/i.test(answer) ? 'tentative' : /^acc/i.test(answer) ? 'accepted' : 'declined';
      const { title } = yield* world.run('calendar_respond', { id: str(id), answer: response });
      return `Your answer to “${str(title)}” is now: ${response}.`;
    },
  },
  {
    example: 'Delete the event Inventur.',
    pattern: new RegExp(`^(?:(?:delete|remove) (?<event>${EVENT}.*)|cancel (?<other>.+))$`, 'i'),
    *plan({ event, other = 'it' }, world) {
      const found = yield* findEvent(event ?? other, world);
      yield* world.run('calendar_delete', { id: str(found.id) });
      return `I deleted the event “${str(found.title)}”.`;
    },
  },
  {
    example: 'Restore the event.',
    pattern: new RegExp(`^(?:restore|undelete|bring back) (?<event>${EVENT}.*)$`, 'i'),
    *plan(_said, world) {
      const id = str(world.seen.findLast(({ tool }) => tool === 'calendar_delete')?.data.deleted);
      if (id === '') return 'I can only restore an event that I have deleted in this conversation.';
      return `I restored the event ${eventText(yield* world.run('calendar_restore', { id }), world.words)}`;
    },
  },
  {
    example: 'Read the event Jour fixe.',
    pattern: new RegExp(`^(?:read|open|show(?: me)?|tell me about|what is|describe) (?<event>${EVENT} .+)$`, 'i'),
    *plan({ event = '' }, world) {
      const { id } = yield* findEvent(event, world);
      return eventText(yield* world.run('calendar_get', { id: str(id) }), world.words);
    },
  },
  {
    example: 'What is on my calendar this week?',
    pattern:
      /^(?<verb>what|show|list|which|read|check|find|do i|have i)\b(?<rest>.*\b(?:calendar|agenda|schedule|events|meetings|appointments|diary|do i have|am i doing|s on (?:today|tomorrow|this|next|on)|is on (?:today|tomorrow|this|next|on))\b.*)$/i,
    *plan({ rest = '' }, world) {
      const { items, zone } = yield* world.run('calendar_list', { ...daysIn(rest, world.now) });
      const events = listOf(items);
      if (events.length === 0) return 'There is nothing on your calendar then.';
      const lines = ['On your calendar:', ...events.map((event) => eventLine(event, world.words, zone))];
      return [lines.join('\n'), ...(yield* readInvitations(events, world))].join('\n\n');
    },
  },
];

/** Invitations without an answer are read, to say what they are about. */
function* readInvitations(events: readonly Data[], world: World): Plan<string[]> {
  const open = events.filter(({ my_answer: answer }) => answer === 'none').slice(0, MOST_INVITATIONS);
  if (open.length === 0 || !world.tools.has('calendar_get')) return [];
  const results = yield* world.attempt(open.map(({ id }) => world.call('calendar_get', { id: str(id) })));
  return results.map((result) =>
    result.ok ? `An invitation waits for your answer: ${eventText(result.data, world.words)}` : obstacleText(result),
  );
}

function* update(phrase: string, change: Data, world: World): Plan {
  const { id } = yield* findEvent(phrase, world);
  return `I changed the event ${eventText(yield* world.run('calendar_update', { id: str(id), ...change }), world.words)}`;
}

function newEvent(rest: string, { now }: World): Data {
  const attendees = addressesIn(rest);
  const title = /["“](?<quoted>[^"”]+)["”]/.exec(rest)?.groups?.quoted ?? bareTitle(rest);
  const timing = rest.replace(title, '');
  const day = dayIn(timing, now) ?? new Date(now).toISOString().slice(0, 10);
  const [start, end] = timesIn(timing);
  const times: Said = start === undefined ? { start: day } : { start: `${day}T${start}`, end: `${day}T${end ?? hourAfter(start)}` };
  return { title, ...times, ...(attendees.length > 0 && { attendees }) };
}

/** The title of "called Planning on Friday at 10:00 with …". */
function bareTitle(rest: string): string {
  const words =
    /^(?: (?:called|named|titled|about|for))? (?<title>.+?)(?= (?:on|at|from|with|today|tomorrow|next|in|and invite)\b|$)/i.exec(rest)
      ?.groups?.title;
  return words === undefined || /^(?:on|at|from|with|today|tomorrow)\b/i.test(words) ? 'Event' : words;
}

/** The same time on another day. */
function movedTo({ start }: Data, day: string): string {
  return str(start).includes('T') ? `${day}T${str(start).slice(11, 16)}` : day;
}

function lengthIn(said: string): number | undefined {
  const [, count, unit] = /\b(\d+|an?|half an|one|two|three) ?(minutes?|hours?)\b/i.exec(said) ?? [];
  if (count === undefined) return undefined;
  const number = /half/i.test(count) ? 0.5 : (numberIn(count) ?? 1);
  return unit?.startsWith('hour') ? number * 60 : number;
}

function freeText(
  slots: readonly Data[],
  timesOfSlot: (slot: Data) => string,
  days: DayRange | undefined,
  time: string | undefined,
): string {
  const spans = slots.slice(0, 8).map((slot) => `- ${timesOfSlot(slot)}`);
  const list = spans.length === 0 ? 'There is no free time then.' : ['Free times:', ...spans].join('\n');
  if (time === undefined || days === undefined) return list;
  const moment = `${days.from}T${time}`;
  const isFree = slots.some(({ start, end }) => str(start).slice(0, 16) <= moment && moment < str(end).slice(0, 16));
  return `${isFree ? 'Yes, you are free' : 'No, you are not free'} on ${when(moment)}. ${list}`;
}
