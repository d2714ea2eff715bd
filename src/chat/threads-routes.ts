import { z } from 'zod';
import type { Assistant } from '../assistant/assistant.ts';
import { threadId } from '../assistant/threads/chat-request.ts';
import type { Thread, Threads } from '../assistant/threads/threads.ts';
import type { RunRow } from '../assistant/threads/threads-repository.ts';
import { type Endpoint, endpoint, SUCCEEDED, success } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import { text } from '../validation/validate.ts';

const PAGE = { default: 50, max: 200 };
const MAX_SEARCH = 200;
const MAX_TITLE = 200;

const time = z.iso.datetime();
const status = z.enum(['running', 'done', 'awaiting_approval', 'interrupted', 'cancelled', 'failed']);
const thread = z
  .object({
    id: z.string().describe('Chosen by the front end that began the conversation.'),
    title: z.string().describe('One line of text, not markup.'),
    created_at: time,
    updated_at: time.describe('When a message was last added or changed.'),
    status: status
      .nullable()
      .describe('Of the last run; null: there was none. `interrupted`: the process that ran it ended, and nothing is repeated.'),
  })
  .meta({ id: 'Thread' });
const message = z
  .object({
    id: z.string(),
    role: z.enum(['user', 'assistant']),
    parts: z.array(z.record(z.string(), z.unknown())),
    metadata: z.unknown().optional(),
  })
  .meta({ id: 'Message' });
const run = z
  .object({
    id: z.uuid(),
    status,
    model: z.string(),
    message_id: z.string().describe('Of the assistant’s message.'),
    error: z.string().nullable().describe('The code of the error with which it failed.'),
  })
  .meta({ id: 'Run' });
const params = z.object({ id: threadId });

type ThreadStore = Pick<Threads, 'list' | 'read' | 'rename' | 'delete'>;

export interface ThreadsRoutesDeps {
  threads: ThreadStore;
  assistant: Pick<Assistant, 'endAbandoned'>;
}

/** Conversations with the assistant. They can be read and deleted without a model, too. */
export function threadsRouter({ threads, assistant }: ThreadsRoutesDeps, middleware: EndpointMiddleware): EndpointRouter {
  return endpointRouter(
    'Assistant',
    [listThreads(threads), readThread(threads, assistant), renameThread(threads), deleteThread(threads)],
    middleware,
  );
}

function listThreads(threads: ThreadStore): Endpoint {
  return endpoint({
    method: 'get',
    path: '/threads',
    summary: 'Conversations with the assistant',
    description: 'The latest first. `search` finds titles that contain a text, in any case.',
    auth: 'id_token',
    query: z.strictObject({
      search: text(MAX_SEARCH).optional(),
      limit: z.coerce.number().int().min(1).max(PAGE.max).default(PAGE.default).describe(`At most ${PAGE.max}.`),
      before: text(100).optional().describe('`next` of the previous page.'),
    }),
    response: z
      .object({ threads: z.array(thread), next: z.string().nullable().describe('Where the next page begins; null on the last page.') })
      .meta({ id: 'Threads' }),
    async handle({ caller, query }) {
      const { threads: page, next } = await threads.list(caller.userId, query);
      return { json: { threads: page.map(shown), next } };
    },
  });
}

function readThread(threads: ThreadStore, assistant: ThreadsRoutesDeps['assistant']): Endpoint {
  return endpoint({
    method: 'get',
    path: '/threads/:id',
    summary: 'A conversation',
    description: 'Its messages are UIMessages of the AI SDK, oldest first; `useChat` takes them as they are.',
    auth: 'id_token',
    params,
    isLarge: true,
    response: z
      .object({ thread, messages: z.array(message), run: run.nullable().describe('The last run.') })
      .meta({ id: 'ThreadMessages' }),
    async handle({ caller, params: { id } }) {
      const of = { userId: caller.userId, threadId: id };
      let found = await threads.read(caller.userId, id);
      // What an interrupted run has sent becomes its message, once.
      if (found.run?.status === 'interrupted' && (await assistant.endAbandoned(of))) found = await threads.read(caller.userId, id);
      const messages = found.messages as z.input<typeof message>[];
      return { json: { thread: shown(found.thread), messages, run: found.run && shownRun(found.run) } };
    },
  });
}

function renameThread(threads: ThreadStore): Endpoint {
  return endpoint({
    method: 'post',
    path: '/threads/:id',
    summary: 'Rename a conversation',
    description: 'Characters that can’t be seen are removed from the title.',
    auth: 'id_token',
    params,
    form: z.strictObject({ title: text(MAX_TITLE) }).meta({ id: 'ThreadTitle' }),
    response: success,
    async handle({ caller, params: { id }, form }) {
      await threads.rename(caller.userId, id, form.title);
      return SUCCEEDED;
    },
  });
}

function deleteThread(threads: ThreadStore): Endpoint {
  return endpoint({
    method: 'delete',
    path: '/threads/:id',
    summary: 'Delete a conversation',
    description:
      'With its messages, and what is remembered of what was read in it. Its run is cancelled and its pending approvals end; changes that have started run to their end.',
    auth: 'id_token',
    params,
    response: success,
    async handle({ caller, params: { id } }) {
      await threads.delete(caller.userId, id);
      return SUCCEEDED;
    },
  });
}

function shown({ id, title, createdAt, updatedAt, status: of }: Thread): z.input<typeof thread> {
  return { id, title, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString(), status: of };
}

function shownRun({ messageId, ...rest }: RunRow): z.input<typeof run> {
  return { ...rest, message_id: messageId };
}
