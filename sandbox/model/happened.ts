import type { World } from './plans.ts';

/** What Steward adds to the request of an automation's run (src/automations/runs/run-text.ts). */
const EVENT = /\n\nEvent: (?<event>[a-z]+\.[a-z]+), (?<ids>[^\n]+)$/;
const LATE = /\n\nThis run was planned for [^\n]+/;
/** By what the event is about: its id in the line, and the tool that would have found it. */
const FOUND: Readonly<Record<string, { id: string; tool: string }>> = {
  mail: { id: 'message', tool: 'mail_search' },
  calendar: { id: 'event', tool: 'calendar_list' },
  drive: { id: 'file', tool: 'drive_search' },
};

/** The request of a run, and what has started it, as if it had been found: so that “it” can be said of it. */
export function takeHappened(said: string): { request: string; found: World['seen'] } {
  const { event = '', ids = '' } = EVENT.exec(said)?.groups ?? {};
  const request = said.replace(EVENT, '').replace(LATE, '');
  const kind = FOUND[event.split('.', 1)[0] ?? ''];
  const id = kind === undefined ? undefined : new RegExp(`(?:^|, )${kind.id} (\\S+?)(?:,|$)`).exec(ids)?.[1];
  return { request, found: kind === undefined || id === undefined ? [] : [{ tool: kind.tool, data: { items: [{ id }] } }] };
}
