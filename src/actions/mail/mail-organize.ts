import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { text } from '../../validation/validate.ts';
import { builtIn } from '../built-in.ts';
import { quoted } from '../display-text.ts';
import { changed, labelList } from './gmail-responses.ts';
import { failures, forEach } from './mail-batches.ts';
import { mailId } from './mail-fields.ts';
import { nameMessages, nameThreads } from './mail-preview.ts';

const MAX_LABELLED = 100;
const MAX_TRASHED = 25;
/** Mail is deleted from both after a while: moving it there is more than a label. */
const ENDS = new Set(['TRASH', 'SPAM']);

const labels = z.array(text(225)).max(20).default([]);
const ids = (max: number) => z.array(mailId).max(max);

type Labels = z.output<typeof labelList>['labels'];

export const listLabels = builtIn({
  name: 'mail.labels',
  provider: 'workspace',
  effect: 'read',
  description: 'List the labels (folders) of the account.',
  scopes: ['mail.modify'],
  input: z.strictObject({}),
  output: z.object({ items: z.array(z.object({ id: z.string(), name: z.string(), type: z.string() })) }),
  summary: () => 'List the labels',
  run: async (_input, { session }) => ({ items: await fetchLabels(session) }),
});

export const labelMail = builtIn({
  name: 'mail.label',
  provider: 'workspace',
  effect: 'write',
  description:
    'Add labels to messages, or remove them. Removing INBOX archives, removing UNREAD marks as read, removing TRASH brings back. All of it happens, or nothing.',
  scopes: ['mail.modify'],
  input: z
    .strictObject({
      ids: ids(MAX_LABELLED).min(1).describe(`Ids of messages, at most ${MAX_LABELLED}.`),
      add: labels.describe('Labels to add, by name or id.'),
      remove: labels.describe('Labels to remove, by name or id.'),
    })
    .refine(({ add, remove }) => add.length + remove.length > 0, { path: ['add'], error: 'name a label to add or to remove' }),
  output: z.object({ changed: z.number().describe('How many messages.'), added: z.array(z.string()), removed: z.array(z.string()) }),
  summary: ({ ids: messages, add, remove }) =>
    `Label ${messages.length} messages (${messages.join(', ')}): add ${add.map(quoted).join(', ') || 'none'}, remove ${remove.map(quoted).join(', ') || 'none'}`,
  async run(input, { session }) {
    const known = await fetchLabels(session);
    const added = resolve(known, 'add', input.add);
    const removed = resolve(known, 'remove', input.remove);
    if (added.some(({ id }) => ENDS.has(id))) throw new AppError('invalid_request', 'add: use mail.trash to throw messages away.');
    const messages = [...new Set(input.ids)];
    const requestBody = { ids: messages, addLabelIds: added.map(({ id }) => id), removeLabelIds: removed.map(({ id }) => id) };
    await session.call('gmail.users.messages.batchModify', { userId: 'me', requestBody }, z.unknown());
    return { changed: messages.length, added: added.map(({ name }) => name), removed: removed.map(({ name }) => name) };
  },
});

export const trashMail = builtIn({
  name: 'mail.trash',
  provider: 'workspace',
  effect: 'destructive',
  description: 'Move messages, or whole threads, to the trash, which the mail service empties after a while.',
  scopes: ['mail.modify'],
  input: z
    .strictObject({
      ids: ids(MAX_TRASHED).default([]).describe(`Ids of messages, at most ${MAX_TRASHED}.`),
      threads: ids(MAX_TRASHED).default([]).describe(`Ids of threads, at most ${MAX_TRASHED}: every message of theirs goes.`),
    })
    .refine((input) => input.ids.length + input.threads.length > 0, { path: ['ids'], error: 'name a message or a thread' }),
  output: z.object({ trashed: z.array(z.string()).describe('Ids of what is in the trash now.'), failed: failures }),
  summary: ({ ids: messages, threads }) => summarise(messages, threads),
  async preview({ ids: messages, threads }, { session }) {
    return summarise(...(await Promise.all([nameMessages(session, messages), nameThreads(session, threads)])));
  },
  async run(input, { session }) {
    const items = [
      ...[...new Set(input.ids)].map((id) => ({ id, method: 'gmail.users.messages.trash' })),
      ...[...new Set(input.threads)].map((id) => ({ id, method: 'gmail.users.threads.trash' })),
    ];
    const { done, failed } = await forEach(items, async ({ id, method }) => {
      await session.call(method, { userId: 'me', id, fields: 'id' }, changed);
      return id;
    });
    return { trashed: done, ...(failed !== undefined && { failed }) };
  },
});

function summarise(messages: readonly string[], threads: readonly string[]): string {
  const parts = [
    ...(messages.length > 0 ? [`messages ${messages.join(', ')}`] : []),
    ...(threads.length > 0 ? [`whole threads ${threads.join(', ')}`] : []),
  ];
  return `Move to the trash: ${parts.join(' and ')}`;
}

async function fetchLabels(session: WorkspaceSession): Promise<Labels> {
  return (await session.call('gmail.users.labels.list', { userId: 'me', fields: 'labels(id,name,type)' }, labelList)).labels;
}

/** Ids win over names, and exact names over those in another case. */
function resolve(known: Labels, field: string, wanted: readonly string[]): Labels {
  return wanted.map((one) => {
    const found =
      known.find(({ id }) => id === one) ??
      known.find(({ name }) => name === one) ??
      known.find(({ name }) => name.toLowerCase() === one.toLowerCase());
    if (found !== undefined) return found;
    throw new AppError('invalid_request', `${field}: There is no label of this name: ${one}.`, {
      details: { choices: known.map(({ name }) => name) },
    });
  });
}
