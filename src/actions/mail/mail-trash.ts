import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { identifier } from '../../providers/shared/provider-text.ts';
import { hashOf } from '../../providers/shared/version-hash.ts';
import { list } from '../../providers/transport/response-list.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import type { RunContext } from '../shared/action.ts';
import { assertAsShown } from '../shared/as-shown.ts';
import { builtIn } from '../shared/built-in.ts';
import { changed } from './gmail-responses.ts';
import { failures, forEach } from './mail-batches.ts';
import { mailId } from './mail-fields.ts';
import { changeLabels, type Labelled, labelIds, labelsOfMessages } from './mail-label-state.ts';
import { nameMessages, nameThreads, shownMails } from './mail-preview.ts';

const MAX_TRASHED = 25;
/** Messages of threads included. */
const MAX_RESTORED = 200;

const ids = (max: number) => z.array(mailId).max(max).default([]);
const threadLabels = z.object({ messages: list(z.object({ id: identifier, labelIds }), 1_000).default([]) });

export const trashMail = builtIn('workspace', {
  name: 'mail.trash',
  effect: 'destructive',
  description: 'Move messages or whole threads to the trash, which the mail service empties after a while.',
  scopes: ['mail.modify'],
  integrity: 'own',
  input: z
    .strictObject({
      ids: ids(MAX_TRASHED).describe(`Ids of messages, at most ${MAX_TRASHED}.`),
      threads: ids(MAX_TRASHED).describe(`Ids of threads, at most ${MAX_TRASHED}; all their messages are moved.`),
    })
    .refine((input) => input.ids.length + input.threads.length > 0, { path: ['ids'], error: 'give a message or a thread' }),
  output: z.object({
    trashed: z.array(z.string()).describe('Ids of the messages and threads that are now in the trash.'),
    failed: failures,
  }),
  summary: ({ ids: messages, threads }) => summarise(messages, threads),
  facts: namedItems,
  version: (named) => hashOf(named),
  shown: (_input, [messages, threads]) => ({ items: { ids: shownMails(messages), threads: shownMails(threads) } }),
  preview: async (_input, _context, named) => {
    const [messages, threads] = named.map((items) => items.map(({ text }) => text));
    return summarise(messages ?? [], threads ?? []);
  },
  async run(input, context) {
    const { session, undoneBy } = context;
    await assertAsShown(context.version, 'ids', async () => hashOf(await namedItems(input, context)));
    const items = [
      ...[...new Set(input.ids)].map((id) => ({ id, method: 'gmail.users.messages.trash', before: () => labelsOfMessages(session, [id]) })),
      ...[...new Set(input.threads)].map((id) => ({ id, method: 'gmail.users.threads.trash', before: () => labelsOfThread(session, id) })),
    ];
    const { done, failed } = await forEach(items, async ({ id, method, before }) => {
      const former = await before().catch(() => undefined);
      await session.call(method, { userId: 'me', id, fields: 'id' }, changed);
      return { id, former };
    });
    const moved = [...new Map(done.flatMap(({ former = [] }) => former.map((one) => [one.id, one]))).values()];
    const restored = moved.filter(({ labels }) => !labels.includes('TRASH'));
    const inbox = restored.filter(({ labels }) => labels.includes('INBOX')).map(({ id }) => id);
    if (restored.length > 0 && restored.length <= MAX_RESTORED && done.every(({ former }) => former !== undefined)) {
      const input = { ids: restored.map(({ id }) => id), inbox };
      undoneBy({ action: 'mail.untrash', input, summary: `Take ${counted(restored.length)} out of the trash` });
    }
    return { trashed: done.map(({ id }) => id), failed };
  },
});

export const untrashMail = builtIn('workspace', {
  name: 'mail.untrash',
  effect: 'write',
  description: 'Take messages out of the trash.',
  scopes: ['mail.modify'],
  integrity: 'own',
  input: z.strictObject({
    ids: z.array(mailId).min(1).max(MAX_RESTORED).describe(`Ids of messages, at most ${MAX_RESTORED}.`),
    inbox: ids(MAX_RESTORED).describe('Those of them that go back to the inbox.'),
  }),
  output: z.object({ restored: z.number().describe('Number of messages.') }),
  summary: ({ ids: messages, inbox }) => `Take ${counted(messages.length)} out of the trash, ${inbox.length} of them into the inbox`,
  shown: async (input, _facts, { session }) => ({ items: { ids: shownMails(await nameMessages(session, input.ids)) } }),
  async run(input, { session }) {
    const messages = [...new Set(input.ids)];
    const inbox = new Set(input.inbox);
    const [back, elsewhere] = [messages.filter((id) => inbox.has(id)), messages.filter((id) => !inbox.has(id))];
    await changeLabels(session, back, ['INBOX'], ['TRASH']);
    await changeLabels(session, elsewhere, [], ['TRASH']);
    return { restored: messages.length };
  },
});

/** What is shown of them; of a thread also how many messages it has. @throws AppError `not_found` if none exists */
async function namedItems({ ids: messages, threads }: { ids: string[]; threads: string[] }, { session }: RunContext<'workspace'>) {
  const named = await Promise.all([nameMessages(session, messages), nameThreads(session, threads)]);
  // Those that exist are moved whatever the others are.
  if (named.flat().every(({ isMissing }) => isMissing === true)) throw new AppError('not_found', 'There is no such message or thread.');
  return named;
}

async function labelsOfThread(session: WorkspaceSession, id: string): Promise<Labelled[]> {
  const params = { userId: 'me', id, format: 'minimal', fields: 'messages(id,labelIds)' };
  const { messages } = await session.call('gmail.users.threads.get', params, threadLabels);
  return messages.map((message) => ({ id: message.id, labels: message.labelIds }));
}

function counted(messages: number): string {
  return messages === 1 ? '1 message' : `${messages} messages`;
}

function summarise(messages: readonly string[], threads: readonly string[]): string {
  const parts = [
    ...(messages.length > 0 ? [`messages ${messages.join(', ')}`] : []),
    ...(threads.length > 0 ? [`whole threads ${threads.join(', ')}`] : []),
  ];
  return `Move to the trash: ${parts.join(' and ')}`;
}
