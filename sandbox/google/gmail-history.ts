import { invalid, notFound } from '../api-fault.ts';
import type { HistoryRecord, Mailbox, MailRequest, NamedMessage, StoredMessage } from './gmail-mailbox.ts';

/** "typically valid for at least a week" (users.history.list, startHistoryId) */
const KEPT_MS = 7 * 24 * 3_600_000;
const MOST = 500;
/** The value of `historyTypes` by the member of a record. */
const TYPES = {
  messageAdded: 'messagesAdded',
  messageDeleted: 'messagesDeleted',
  labelAdded: 'labelsAdded',
  labelRemoved: 'labelsRemoved',
} as const;

/** Notes what a change did: see {@link listHistory}. */
export function watchMailbox(mailbox: Mailbox): (now: number) => void {
  const before = new Map(mailbox.messages.map((message): [string, NamedMessage] => [message.id, named(message)]));
  const idBefore = mailbox.historyId;
  return (now) => {
    const record = compare(before, mailbox.messages);
    const all = mailbox.history ?? [];
    mailbox.history = all.filter(({ at }) => at > now - KEPT_MS);
    const lastDropped = all[all.length - mailbox.history.length - 1];
    if (lastDropped !== undefined) mailbox.historyFrom = lastDropped.id;
    if (Object.keys(record).length === 0) return;
    if (mailbox.historyId === idBefore) mailbox.historyId += 1;
    mailbox.history.push({ id: mailbox.historyId, at: now, ...record });
  };
}

/** From now on, the history ids that were given are too old. */
export function endHistory(mailbox: Mailbox): void {
  mailbox.historyId += 1;
  mailbox.historyFrom = mailbox.historyId;
  mailbox.history = [];
}

/**
 * users.history.list
 *
 * @throws ApiFault 404 for a history id that is too old, or that the mailbox has never had
 */
export function listHistory({ state, query }: MailRequest): object {
  const start = Number(query.get('startHistoryId') ?? Number.NaN);
  if (!Number.isInteger(start)) throw invalid('Missing required parameter: startHistoryId');
  if (start < (state.historyFrom ?? 1000) || start > state.historyId) throw notFound();
  const size = Math.min(Number(query.get('maxResults')) || 100, MOST);
  const after = pageStart(query.get('pageToken'), start);
  const found = (state.history ?? [])
    .filter(({ id }) => id > after)
    .map((record) => present(record, state, query))
    .filter((record) => record !== undefined);
  const shown = found.slice(0, size);
  return {
    ...(shown.length > 0 && { history: shown }),
    ...(shown.length < found.length && { nextPageToken: shown.at(-1)?.id }),
    historyId: String(state.historyId),
  };
}

/** The id of the last record of the page before. */
function pageStart(token: string | null, start: number): number {
  if (token === null) return start;
  if (!/^\d{1,15}$/.test(token) || Number(token) < start) throw invalid('Invalid pageToken');
  return Number(token);
}

/** @returns undefined without a change of the kinds and the label that are asked for */
function present(record: HistoryRecord, { messages }: Mailbox, query: URLSearchParams): { id: string } | undefined {
  const types = query.getAll('historyTypes');
  const label = query.get('labelId');
  const labelsOf = (one: NamedMessage) => messages.find(({ id }) => id === one.id)?.labelIds ?? one.labelIds;
  const changes = Object.entries(TYPES).flatMap(([type, member]) => {
    if (types.length > 0 && !types.includes(type)) return [];
    const of = (record[member] ?? []).filter((one) => label === null || labelsOf(one).includes(label));
    const shown = of.map((one) => ({
      message: { id: one.id, threadId: one.threadId, labelIds: labelsOf(one) },
      ...('changed' in one && { labelIds: one.changed }),
    }));
    return shown.length === 0 ? [] : [[member, shown] as const];
  });
  if (changes.length === 0) return undefined;
  const touched = new Map(changes.flatMap(([, of]) => of.map(({ message: { id, threadId } }) => [id, { id, threadId }])));
  return { id: String(record.id), messages: [...touched.values()], ...Object.fromEntries(changes) } as { id: string };
}

function compare(before: ReadonlyMap<string, NamedMessage>, after: readonly StoredMessage[]): Omit<HistoryRecord, 'id' | 'at'> {
  const ids = new Set(after.map(({ id }) => id));
  const changed = (gained: (from: NamedMessage, to: NamedMessage) => string[]) =>
    after.flatMap((message) => {
      const from = before.get(message.id);
      const labels = from === undefined ? [] : gained(from, message);
      return labels.length === 0 ? [] : [{ ...named(message), changed: labels }];
    });
  const lists = {
    messagesAdded: after.filter(({ id }) => !before.has(id)).map(named),
    messagesDeleted: [...before.values()].filter(({ id }) => !ids.has(id)),
    labelsAdded: changed((from, to) => to.labelIds.filter((id) => !from.labelIds.includes(id))),
    labelsRemoved: changed((from, to) => from.labelIds.filter((id) => !to.labelIds.includes(id))),
  };
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

function named({ id, threadId, labelIds }: StoredMessage): NamedMessage {
  return { id, threadId, labelIds };
}
