import { z } from 'zod';
import { severalLines } from '../../validation/text-input.ts';
import { builtIn } from '../shared/built-in.ts';
import { displayAddress, quoted } from '../shared/display-text.ts';
import { assertInvited, ownAttendee, ownResponse } from './calendar-attendees.ts';
import { describeFully, eventOutput, shownResponse } from './calendar-event.ts';
import { idsOf, seenTarget, unchangedTarget, writtenIn } from './calendar-facts.ts';
import { eventId, notifyOnRequest, scope, sendUpdates } from './calendar-inputs.ts';
import { nameEvent, shownEvent } from './calendar-preview.ts';
import { findTarget, patchEvent } from './calendar-session.ts';
import { undoResponse } from './calendar-undo.ts';
import { turnsPrivate } from './event-sharing.ts';

const input = z.strictObject({
  id: eventId,
  answer: z.enum(['accepted', 'declined', 'tentative', 'none']).describe('Response; none withdraws the former one.'),
  comment: severalLines(500).optional().describe('Message to the organizer; needs the user’s approval.'),
  scope,
  notify: notifyOnRequest.describe('Tell the organizer by mail; needs the user’s approval.'),
});

type Input = z.output<typeof input>;

export const calendarRespond = builtIn('workspace', {
  name: 'calendar.respond',
  effect: 'write',
  description: 'Respond to an invitation.',
  scopes: ['calendar.events.owned'],
  input,
  output: eventOutput,
  // Without a message, the organizer only sees the response in the calendar: that carries no more than which of four it is, and
  // after a bank's data was read even that is too much.
  async facts({ id, scope, comment, notify }, { session, account, taint }) {
    if (comment === undefined && !notify && !taint.isFinancial) return undefined;
    const target = await seenTarget(session, id, scope);
    assertInvited(target.event, account.label);
    return target;
  },
  version: (target) => target?.version,
  about: ({ id }, target) => (target === undefined ? [id] : idsOf(target)),
  writes: ({ id, comment }, output) => (comment === undefined ? [] : writtenIn(id, output)),
  exposes: (_input, target) => target?.audience ?? [],
  summary: (input) => summarise(input, '', `the invitation ${input.id}${input.scope === 'series' ? ' and its whole series' : ''}`),
  async shown({ id, scope }, target, { session }) {
    if (target !== undefined) return { event: shownEvent(target.event, target.others) };
    return { event: shownEvent((await findTarget(session, id, scope)).event) };
  },
  async preview(input, { session }, target) {
    const { event } = target ?? (await findTarget(session, input.id, input.scope));
    const { email } = event.organizer ?? {};
    return summarise(input, email === undefined ? '' : ` ${displayAddress(email)}`, nameEvent(event));
  },
  async run({ id, answer, comment, scope, notify }, { session, account, version, taint, undoneBy }) {
    const { event, audience } = await unchangedTarget(session, { id, scope }, version);
    const isHidden = comment !== undefined && turnsPrivate(event, audience, taint);
    const body = ownResponse(event, account.label, answer === 'none' ? 'needsAction' : answer, comment);
    const former = shownResponse(ownAttendee(event, account.label)?.responseStatus ?? 'needsAction');
    const requestBody = { ...body, ...(isHidden && { visibility: 'private' }) };
    const changed = await patchEvent(session, event, requestBody, sendUpdates(notify));
    const undo = undoResponse(event, former, answer, notify || comment !== undefined);
    if (undo !== undefined) undoneBy(undo);
    return describeFully(changed);
  },
});

/** @param organizer the address with a leading space; '' if unknown */
function summarise({ answer, comment, notify }: Input, organizer: string, what: string): string {
  const notified = notify ? `notifying the organizer${organizer} by mail` : `without a mail to the organizer${organizer}`;
  return `${answer === 'none' ? 'Withdraw the response' : `Respond with ${answer}`}, ${notified}: ${what}${comment === undefined ? '' : `, with the comment ${quoted(comment)}`}`;
}
