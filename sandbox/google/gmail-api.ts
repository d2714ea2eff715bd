import { invalid } from '../api-fault.ts';
import type { ApiMethod, ApiResponse, SandboxApi } from './api-method.ts';
import { listHistory, watchMailbox } from './gmail-history.ts';
import { assertOwnMailbox, findMessage, findThread, type Mailbox, type MailRequest, relabel, type StoredMessage } from './gmail-mailbox.ts';
import { compileQuery, namesSpamOrTrash } from './gmail-query.ts';
import { attachmentResource, messageResource, threadResource } from './gmail-resources.ts';
import { createDraft, deleteDraft, findDraft, insertMessage, messageBody, sendDraft, sendMessage, updateDraft } from './gmail-sending.ts';
import { seedMailbox } from './gmail-world.ts';

const MODIFY = ['https://www.googleapis.com/auth/gmail.modify'];
const SEND = ['https://www.googleapis.com/auth/gmail.send', ...MODIFY];
const MAX_BATCH = 1000;
/** Each way (ModifyMessageRequest). */
const MAX_LABELS = 100;

type Handle = (request: MailRequest) => object | undefined;

function method(
  verb: ApiMethod<Mailbox>['verb'],
  path: string,
  units: number,
  handle: Handle,
  scopes: string[] = MODIFY,
): ApiMethod<Mailbox> {
  const respond = (request: MailRequest): ApiResponse => {
    assertOwnMailbox(request);
    const json = handle(request);
    return json === undefined ? { empty: true } : { json };
  };
  return { verb, path: `/gmail/v1/users/:userId/${path}`, scopes, units, handle: respond };
}

/** A method whose message may also be uploaded. */
function uploadable(...[verb, path, units, handle, scopes]: Parameters<typeof method>): ApiMethod<Mailbox>[] {
  const plain = method(verb, path, units, handle, scopes);
  return [plain, { ...plain, path: `/upload${plain.path}` }];
}

/** The emulator of the mail API: the methods that agents use, with the provider's paths, formats and costs. */
export const gmailApi: SandboxApi<Mailbox> = {
  name: 'gmail',
  unitsPerMinute: 6_000,
  seed: seedMailbox,
  watch: watchMailbox,
  methods: [
    method('GET', 'profile', 1, ({ account, state }) => ({
      emailAddress: account.email,
      messagesTotal: state.messages.length,
      threadsTotal: new Set(state.messages.map(({ threadId }) => threadId)).size,
      historyId: String(state.historyId),
    })),
    method('GET', 'history', 2, listHistory),
    method('GET', 'labels', 1, ({ state }) => ({ labels: state.labels })),
    method('GET', 'messages', 5, listMessages),
    ...uploadable('POST', 'messages', 25, (request) => insert(request, 'receivedTime')),
    ...uploadable('POST', 'messages/import', 25, (request) => insert(request, 'dateHeader')),
    method('GET', 'messages/:id', 20, ({ state, params, query }) => messageResource(findMessage(state, params.id), query)),
    method('GET', 'messages/:id/attachments/:attachment', 20, ({ state, params }) =>
      attachmentResource(findMessage(state, params.id), params.attachment ?? ''),
    ),
    method('GET', 'threads', 20, listThreads),
    method('GET', 'threads/:id', 40, ({ state, params, query }) =>
      threadResource(params.id ?? '', findThread(state, params.id), query, state),
    ),
    ...uploadable(
      'POST',
      'messages/send',
      100,
      (request) =>
        brief(
          sendMessage(
            request,
            messageBody(request, (body) => body),
          ),
        ),
      SEND,
    ),
    method('POST', 'messages/batchModify', 50, batchModify),
    method('POST', 'messages/:id/modify', 5, (request) => change(request, [findMessage(request.state, request.params.id)])[0]),
    method('POST', 'messages/:id/trash', 5, ({ state, params }) =>
      brief(move(state, [findMessage(state, params.id)], ['TRASH'], ['INBOX'])),
    ),
    method('POST', 'messages/:id/untrash', 5, ({ state, params }) => brief(move(state, [findMessage(state, params.id)], [], ['TRASH']))),
    method('POST', 'threads/:id/trash', 10, ({ state, params }) => {
      move(state, findThread(state, params.id), ['TRASH'], ['INBOX']);
      return { id: params.id, historyId: String(state.historyId) };
    }),
    method('GET', 'drafts', 5, listDrafts),
    ...uploadable('POST', 'drafts', 10, (request) => {
      const { id, message } = createDraft(
        request,
        messageBody(request, ({ message }) => message),
      );
      return { id, message: brief(message) };
    }),
    ...uploadable('PUT', 'drafts/:id', 15, (request) => {
      const { id, message } = updateDraft(
        request,
        request.params.id ?? '',
        messageBody(request, ({ message }) => message),
      );
      return { id, message: brief(message) };
    }),
    method('DELETE', 'drafts/:id', 10, ({ state, params }) => {
      deleteDraft(state, params.id ?? '');
      return undefined;
    }),
    method('GET', 'drafts/:id', 20, ({ state, params, query }) => {
      const { id, message } = findDraft(state, params.id ?? '');
      return { id, message: messageResource(message, query) };
    }),
    method('POST', 'drafts/send', 100, (request) => brief(sendDraft(request, idOf(request.body)))),
  ],
};

function insert(request: MailRequest, dateSource: string): object {
  const body = messageBody(request, (message) => message);
  return brief(insertMessage(request, body, request.query.get('internalDateSource') ?? dateSource));
}

function brief(message: StoredMessage | undefined): { id: string; threadId: string; labelIds: string[] } {
  if (message === undefined) throw invalid('Invalid id value');
  const { id, threadId, labelIds } = message;
  return { id, threadId, labelIds };
}

/** @throws ApiFault 400 when it is missing */
function idOf(body: unknown): string {
  const { id } = (body ?? {}) as { id?: unknown };
  if (typeof id !== 'string') throw invalid('Missing draft id');
  return id;
}

/** The messages that a list's parameters select, newest first. */
function select({ state, query, now }: MailRequest): StoredMessage[] {
  const q = query.get('q') ?? '';
  const labelIds = query.getAll('labelIds');
  const everywhere = query.get('includeSpamTrash') === 'true' || namesSpamOrTrash(q) || labelIds.some((id) => HIDDEN.includes(id));
  const matches = compileQuery(state, q, now);
  return state.messages
    .filter((message) => everywhere || !HIDDEN.some((id) => message.labelIds.includes(id)))
    .filter((message) => labelIds.every((id) => message.labelIds.includes(id)) && matches(message))
    .reverse()
    .sort((a, b) => b.at - a.at);
}

const HIDDEN = ['SPAM', 'TRASH'];

/** One page of a list; its token is the start of the next. Without items, the provider leaves out the list. */
function page<Item>({ query }: MailRequest, name: string, items: readonly Item[], present: (item: Item) => object): object {
  const size = Number(query.get('maxResults') ?? 100);
  const token = query.get('pageToken') ?? '0';
  if (!Number.isInteger(size) || size < 0) throw invalid('Invalid maxResults');
  if (!/^\d{1,20}$/.test(token)) throw invalid('Invalid pageToken');
  // The provider's tokens are opaque numbers.
  const start = token === '0' ? 0 : Number(BigInt(token) % 100_003n);
  const end = start + Math.min(size, 500);
  const shown = items.slice(start, end).map(present);
  return {
    ...(shown.length > 0 && { [name]: shown }),
    ...(end < items.length && { nextPageToken: String(100_003n * 104_729_301_117n + BigInt(end)) }),
    resultSizeEstimate: items.length,
  };
}

function listMessages(request: MailRequest): object {
  return page(request, 'messages', select(request), ({ id, threadId }) => ({ id, threadId }));
}

function listThreads(request: MailRequest): object {
  const ids = [...new Set(select(request).map(({ threadId }) => threadId))];
  return page(request, 'threads', ids, (id) => ({ id, historyId: String(request.state.historyId) }));
}

function listDrafts(request: MailRequest): object {
  const matches = compileQuery(request.state, request.query.get('q') ?? '', request.now);
  const found = request.state.drafts.filter(({ messageId }) => matches(findMessage(request.state, messageId)));
  return page(request, 'drafts', found.toReversed(), ({ id, messageId }) => {
    const { threadId } = findMessage(request.state, messageId);
    return { id, message: { id: messageId, threadId } };
  });
}

/** One unknown id fails the whole batch. */
function batchModify(request: MailRequest): undefined {
  const { ids } = (request.body ?? {}) as { ids?: unknown };
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > MAX_BATCH) throw invalid('Invalid ids');
  change(
    request,
    ids.map((id) => findMessage(request.state, String(id))),
  );
}

function change(request: MailRequest, messages: StoredMessage[]): ReturnType<typeof brief>[] {
  const { addLabelIds, removeLabelIds } = (request.body ?? {}) as Record<string, unknown>;
  const [added, removed] = [strings(addLabelIds), strings(removeLabelIds)];
  if (added.length + removed.length === 0) throw invalid('No label add or removes specified');
  if (added.some((id) => removed.includes(id))) throw invalid('Cannot both add and remove the same label');
  if (Math.max(added.length, removed.length) > MAX_LABELS) throw invalid('Too many labels');
  relabel(request.state, messages, added, removed);
  return messages.map(brief);
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function move(mailbox: Mailbox, messages: StoredMessage[], add: string[], remove: string[]): StoredMessage | undefined {
  relabel(mailbox, messages, add, remove);
  return messages[0];
}
