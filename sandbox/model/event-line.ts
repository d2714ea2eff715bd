import type { Data } from './tool-results.ts';

/** What started a run, by ids. */
export interface Happened {
  /** `mail.received`. */
  kind: string;
  ids: Readonly<Record<string, string>>;
}

/** The last line of a run's first message: `Event: mail.received, account <id>, message <id>`. */
const EVENT_LINE = /\n+Event: (?<kind>[a-z]+\.[a-z]+)(?<ids>(?:, \w+ [^\s,]+)*)\s*$/;
const LATE_LINE = /\n+This run was planned for \S+ It is late: nothing ran at that time\.(?=\s|$)/;
/** "When an invoice comes, …" is when it runs, and not what it does. */
const WHEN = /^(?:when|whenever|if|each time|every time)\b[^,:]{1,200}[,:]\s*/i;
/** How users call a mail that has arrived. */
const MAIL = /\b(?:the|this|that) (?:invoice|letter|newsletter|request)\b(?! (?:from|about|of)\b)/gi;

/** The event of a run's first message, and the message without it. */
export function takeEvent(said: string): { request: string; event: Happened | undefined } {
  const { kind, ids = '' } = EVENT_LINE.exec(said)?.groups ?? {};
  const request = said.replace(EVENT_LINE, '').replace(LATE_LINE, '').trim();
  if (kind === undefined) return { request, event: undefined };
  const pairs = ids.split(', ').flatMap((pair) => (pair === '' ? [] : [pair.split(' ') as [string, string]]));
  const task = request.replace(WHEN, '');
  return { request: kind.startsWith('mail.') ? withMail(task) : task, event: { kind, ids: Object.fromEntries(pairs) } };
}

/** The text of an answer, behind a colon, stays as it is. */
function withMail(task: string): string {
  const [head = '', ...rest] = task.split(/(?=:\s)/);
  return [head.replaceAll(MAIL, 'the mail'), ...rest].join('');
}

/** What "the mail", "the event" and "the file" refer to in a run: as if it had been found before. */
export function foundBy({ ids }: Happened): { tool: string; data: Data }[] {
  const { message, event, file } = ids;
  return [
    ...(message === undefined ? [] : [{ tool: 'mail_search', data: { items: [{ id: message }] } }]),
    ...(event === undefined ? [] : [{ tool: 'calendar_list', data: { items: [{ id: event }] } }]),
    ...(file === undefined ? [] : [{ tool: 'drive_search', data: { items: [{ id: file }] } }]),
  ];
}
