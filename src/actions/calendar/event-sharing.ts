import type { Audience } from '../../providers/shared/audience.ts';
import { displayAddress, quotedUpTo } from '../shared/display-text.ts';
import { isLabelled, type Taint } from '../shared/labels.ts';
import type { ShownText } from '../shared/shown.ts';
import { type CalendarEvent, LIMITS } from './calendar-event.ts';

/** Events of a series that are quoted in a question. */
const MAX_EVENTS = 5;

/** The texts of an event that its guests read besides the title. */
export type GuestTexts = Pick<CalendarEvent, 'location' | 'description'> & Partial<Pick<CalendarEvent, 'attachments' | 'attendees'>>;

/**
 * Whether a text that is written into an event makes it private: if it counts as others' text or a bank's data, since with
 * whom the calendar is shared can't be read within the granted scopes. Guests see it anyhow, and the user has chosen any
 * other visibility.
 */
export function turnsPrivate({ visibility }: Pick<CalendarEvent, 'visibility'>, audience: Audience, taint: Taint): boolean {
  return audience.length === 0 && isLabelled(taint) && visibility === 'default';
}

/** For the approval prompt, after the event: `; with the place “…” and the description “…”`. */
export function showTexts({ location = '', description = '', attachments = [], attendees = [] }: GuestTexts): string {
  const texts = [
    ...(location === '' ? [] : [`the place ${quotedUpTo(location, LIMITS.place)}`]),
    ...(description === '' ? [] : [`the description ${quotedUpTo(description, LIMITS.description)}`]),
    ...attachments.map(({ title, fileUrl }) => `the file ${quotedUpTo(title, LIMITS.title)} at ${quotedUpTo(fileUrl, LIMITS.link)}`),
    ...attendees.flatMap(({ email, comment = '' }) =>
      comment === '' ? [] : [`the comment of ${displayAddress(email)} ${quotedUpTo(comment, LIMITS.description)}`],
    ),
  ];
  return texts.length === 0 ? '' : `; with ${texts.join(' and ')}`;
}

/** The same for a question's list. */
export function guestTexts({ location = '', description = '', attachments = [], attendees = [] }: GuestTexts): ShownText[] {
  const texts: ShownText[] = [
    { what: 'place', text: location },
    { what: 'description', text: description },
    ...attachments.map(({ title, fileUrl }): ShownText => ({ what: 'file', text: `${title} ${fileUrl}` })),
    ...attendees.map(({ email, comment = '' }): ShownText => ({ what: 'comment', who: email, text: comment })),
  ];
  return texts.filter(({ text }) => text !== '');
}

/** {@link showOwnTexts} for a question's list. */
export function ownTexts(series: EventTexts, events: readonly EventTexts[]): ShownText[] {
  const differing = differingFrom(series, events);
  const shown = differing
    .slice(0, MAX_EVENTS)
    .flatMap((event): ShownText[] => [{ what: 'event', text: event.summary }, ...guestTexts(event)]);
  const more = differing.length - MAX_EVENTS;
  return more > 0 ? [...shown, { what: 'more', text: String(more) }] : shown;
}

type EventTexts = GuestTexts & { summary: string };

function differingFrom(series: EventTexts, events: readonly EventTexts[]): EventTexts[] {
  return events.filter(
    ({ summary, location, description }) =>
      summary !== series.summary || (location ?? '') !== (series.location ?? '') || (description ?? '') !== (series.description ?? ''),
  );
}

/** Those of the events of a series that were changed individually and don't look like it. */
export function showOwnTexts(series: EventTexts, events: readonly EventTexts[]): string {
  const differing = differingFrom(series, events);
  const shown = differing
    .slice(0, MAX_EVENTS)
    .map((event) => `; one of its events is ${quotedUpTo(event.summary, LIMITS.title)}${showTexts(event).replace('; ', ' ')}`);
  const more = differing.length - shown.length;
  return `${shown.join('')}${more > 0 ? `; ${more} more of its events have texts of their own, which are not shown here` : ''}`;
}

/** What a question says of a calendar that is shared. */
export function showSharing(isPrivate: boolean): string {
  return isPrivate
    ? '; as a private event: those with whom the calendar is shared see only its time'
    : '; those with whom the calendar is shared may see it, too';
}
