import type { Random } from '../../faults/support/random.ts';
import type { ScriptedCall, ScriptedResponse } from '../../support/servers/scripted-server.ts';

interface Mail {
  id: string;
  subject: string;
  at: number;
}

interface CalendarEvent {
  id: string;
  version: number;
  title: string;
  at: number;
}

interface File {
  id: string;
  name: string;
  at: number;
}

const PAGE = 7;
const NOT_FOUND = { status: 404, body: { error: { code: 404, errors: [{ reason: 'notFound' }] } } };
const GONE = { status: 410, body: { error: { code: 410, errors: [{ reason: 'fullSyncRequired' }] } } };

/**
 * The mail, calendar and files of an account, with lists of changes as the provider documents them: an item may be in a page
 * more than once, and not in the order of its changes.
 */
export class StormMailbox {
  readonly #random: Random;
  readonly #now: () => number;
  readonly #mails = new Map<string, Mail>();
  readonly #events = new Map<string, CalendarEvent>();
  readonly #files = new Map<string, File>();
  /** Each change, in order; its number is its position. */
  readonly #changes: { mail: string[]; calendar: string[]; drive: string[] } = { mail: [], calendar: [], drive: [] };
  /** Positions before these have ended. */
  readonly #ended = { mail: 0, calendar: 0, drive: 0 };
  /** Drafts that were stored, by subject. */
  readonly drafts = new Map<string, number>();

  constructor(random: Random, now: () => number) {
    this.#random = random;
    this.#now = now;
  }

  receive(id: string, subject: string): void {
    this.#mails.set(id, { id, subject, at: this.#now() });
    this.#changes.mail.push(id);
  }

  /** @returns its etag */
  change(id: string): string {
    const version = (this.#events.get(id)?.version ?? 0) + 1;
    this.#events.set(id, { id, version, title: 'Review', at: this.#now() });
    this.#changes.calendar.push(id);
    return `"${version}"`;
  }

  /** @returns its time */
  edit(id: string): number {
    this.#files.set(id, { id, name: `${id}.txt`, at: this.#now() });
    this.#changes.drive.push(id);
    return this.#now();
  }

  /** Positions so far are no longer taken. */
  end(kind: 'mail' | 'calendar' | 'drive'): void {
    this.#ended[kind] = this.#changes[kind].length + 1;
    // What begins to read now has another one.
    this.#changes[kind].push('');
  }

  /** What the provider answers; a write has been done by then. */
  respond({ method, path, query, body, text }: ScriptedCall): ScriptedResponse {
    if (method !== 'GET') return path.includes('/drafts') ? this.#draft(body ?? text) : { body: {} };
    if (path.endsWith('/profile')) return { body: { historyId: this.#position('mail') } };
    if (path.endsWith('/history')) return this.#history(query);
    if (path.endsWith('/messages')) return this.#listMail(query);
    if (path.includes('/messages/')) return this.#mail(path.split('/').at(-1) ?? '');
    if (path.endsWith('/events')) return this.#calendar(query);
    if (path.endsWith('/startPageToken')) return { body: { startPageToken: this.#position('drive') } };
    if (path.endsWith('/changes')) return this.#drive(query);
    if (path.endsWith('/files')) return this.#listFiles(query);
    return { body: {} };
  }

  #position(kind: 'mail' | 'calendar' | 'drive'): string {
    return String(this.#changes[kind].length + 1_000);
  }

  /** A page of the changes since a position. @returns undefined: the position has ended */
  #page(kind: 'mail' | 'calendar' | 'drive', from: number) {
    const start = from - 1_000;
    if (start < this.#ended[kind]) return undefined;
    const all = this.#changes[kind];
    const rows = all.slice(start, start + PAGE).map((id, index) => ({ id, at: start + index + 1 }));
    const next = start + PAGE < all.length ? String(from + PAGE) : undefined;
    return { rows: this.#shaken(rows.filter(({ id }) => id !== '')), next };
  }

  /** With repetitions, and in another order. */
  #shaken<Row>(rows: Row[]): Row[] {
    const repeated = rows.flatMap((row) => (this.#random.next() < 0.15 ? [row, row] : [row]));
    return this.#random.next() < 0.3 ? repeated.reverse() : repeated;
  }

  #history(query: URLSearchParams): ScriptedResponse {
    const page = this.#page('mail', Number(query.get('pageToken') ?? query.get('startHistoryId')));
    if (page === undefined) return NOT_FOUND;
    const history = page.rows.map(({ id, at }) => ({ id: String(at + 1_000), messagesAdded: [{ message: { id, labelIds: ['INBOX'] } }] }));
    return { body: { history, historyId: this.#position('mail'), ...(page.next !== undefined && { nextPageToken: page.next }) } };
  }

  #listMail(query: URLSearchParams): ScriptedResponse {
    const after = Number((query.get('q') ?? '').replace('after:', '') || 0) * 1_000;
    const found = [...this.#mails.values()].filter(({ at }) => at >= after).reverse();
    return {
      body: { messages: this.#shaken(found.slice(0, Number(query.get('maxResults') ?? 100)).map(({ id }) => ({ id, threadId: id }))) },
    };
  }

  #mail(id: string): ScriptedResponse {
    const mail = this.#mails.get(id);
    if (mail === undefined) return NOT_FOUND;
    const headers = [
      { name: 'From', value: 'Ana <ana@example.com>' },
      { name: 'Subject', value: mail.subject },
    ];
    return { body: { id, threadId: id, labelIds: ['INBOX'], internalDate: String(mail.at), payload: { headers } } };
  }

  #draft(given: unknown): ScriptedResponse {
    const posted = (typeof given === 'object' && given !== null ? given : {}) as { message?: { raw?: string } };
    const raw = posted.message?.raw === undefined ? String(given) : Buffer.from(posted.message.raw, 'base64url').toString();
    const subject = /^Subject: (\S+)/im.exec(raw)?.[1] ?? '';
    this.drafts.set(subject, (this.drafts.get(subject) ?? 0) + 1);
    const id = `draft-${subject}-${this.drafts.get(subject)}`;
    return { body: { id, message: { id: `of-${id}`, threadId: `of-${id}` } } };
  }

  #calendar(query: URLSearchParams): ScriptedResponse {
    const token = query.get('syncToken');
    if (token === null) {
      const since = Date.parse(query.get('updatedMin') ?? '1970-01-01T00:00:00Z');
      const found = [...this.#events.values()].filter(({ at }) => at >= since);
      return { body: { items: this.#shaken(found).map(shownEvent), nextSyncToken: this.#position('calendar') } };
    }
    const page = this.#page('calendar', Number(query.get('pageToken') ?? token));
    if (page === undefined) return GONE;
    const items = page.rows.map(({ id }) => shownEvent(this.#events.get(id) as CalendarEvent));
    return { body: { items, ...(page.next === undefined ? { nextSyncToken: this.#position('calendar') } : { nextPageToken: page.next }) } };
  }

  #drive(query: URLSearchParams): ScriptedResponse {
    const page = this.#page('drive', Number(query.get('pageToken')));
    if (page === undefined) return GONE;
    const changes = page.rows.map(({ id }) => ({
      time: new Date(this.#now()).toISOString(),
      file: shownFile(this.#files.get(id) as File),
    }));
    return {
      body: { changes, ...(page.next === undefined ? { newStartPageToken: this.#position('drive') } : { nextPageToken: page.next }) },
    };
  }

  #listFiles(query: URLSearchParams): ScriptedResponse {
    const since = Date.parse(/modifiedTime > '([^']+)'/.exec(query.get('q') ?? '')?.[1] ?? '1970-01-01T00:00:00Z');
    return { body: { files: this.#shaken([...this.#files.values()].filter(({ at }) => at > since).map(shownFile)) } };
  }
}

function shownEvent({ id, version, title, at }: CalendarEvent): object {
  return { id, etag: `"${version}"`, status: 'confirmed', summary: title, updated: new Date(at).toISOString() };
}

function shownFile({ id, name, at }: File): object {
  return { id, name, mimeType: 'text/plain', parents: ['root'], trashed: false, modifiedTime: new Date(at).toISOString() };
}
