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
/** The provider deletes mail in these after a while, so moving it there is more than labelling. */
const DELETING_LABELS = new Set(['TRASH', 'SPAM']);

const labels = z.array(text(225)).max(20).default([]);
const ids = (max: number) => z.array(mailId).max(max);

type Labels = z.output<typeof labelList>['labels'];

export const listLabels = builtIn('workspace', {
  name: 'mail.labels',
  effect: 'read',
  description: 'List the labels (folders) of the account.',
  scopes: ['mail.modify'],
  integrity: 'own',
  input: z.strictObject({}),
  output: z.object({ items: z.array(z.object({ id: z.string(), name: z.string(), type: z.string() })) }),
  summary: () => 'List the labels',
  run: async (_input, { session }) => ({ items: await fetchLabels(session) }),
});

export const labelMail = builtIn('workspace', {
  name: 'mail.label',
  effect: 'write',
  description: 'Add labels to messages, or remove them. Removing INBOX archives, removing UNREAD marks as read, removing TRASH restores.',
  scopes: ['mail.modify'],
  integrity: 'own',
  input: z
    .strictObject({
      ids: ids(MAX_LABELLED).min(1).describe('Ids of messages.'),
      add: labels.describe('Labels to add, by name or id.'),
      remove: labels.describe('Labels to remove, by name or id.'),
    })
    .refine(({ add, remove }) => add.length + remove.length > 0, { path: ['add'], error: 'give a label to add or to remove' }),
  output: z.object({ changed: z.number().describe('Number of messages.'), added: z.array(z.string()), removed: z.array(z.string()) }),
  summary: ({ ids: messages, add, remove }) =>
    `Label ${messages.length} messages (${messages.join(', ')}): add ${add.map(quoted).join(', ') || 'none'}, remove ${remove.map(quoted).join(', ') || 'none'}`,
  async run(input, { session }) {
    const known = await fetchLabels(session);
    const added = resolve(known, 'add', input.add);
    const removed = resolve(known, 'remove', input.remove);
    if (added.some(({ id }) => DELETING_LABELS.has(id))) throw new AppError('invalid_request', 'add: use mail.trash to delete messages.');
    const messages = [...new Set(input.ids)];
    const requestBody = { ids: messages, addLabelIds: added.map(({ id }) => id), removeLabelIds: removed.map(({ id }) => id) };
    await session.call('gmail.users.messages.batchModify', { userId: 'me', requestBody }, z.unknown());
    return { changed: messages.length, added: added.map(({ name }) => name), removed: removed.map(({ name }) => name) };
  },
});

export const trashMail = builtIn('workspace', {
  name: 'mail.trash',
  effect: 'destructive',
  description: 'Move messages or whole threads to the trash, which the mail service empties after a while.',
  scopes: ['mail.modify'],
  integrity: 'own',
  input: z
    .strictObject({
      ids: ids(MAX_TRASHED).default([]).describe('Ids of messages.'),
      threads: ids(MAX_TRASHED).default([]).describe('Ids of threads, moved whole.'),
    })
    .refine((input) => input.ids.length + input.threads.length > 0, { path: ['ids'], error: 'give a message or a thread' }),
  output: z.object({
    trashed: z.array(z.string()).describe('Ids of the messages and threads that are now in the trash.'),
    failed: failures,
  }),
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

/** Ids take precedence over names, and exact names over names in another case. */
function resolve(known: Labels, field: string, labels: readonly string[]): Labels {
  return labels.map((label) => {
    const found =
      known.find(({ id }) => id === label) ??
      known.find(({ name }) => name === label) ??
      known.find(({ name }) => name.toLowerCase() === label.toLowerCase());
    if (found !== undefined) return found;
    throw new AppError('invalid_request', `${field}: There is no label with this name: ${label}.`, {
      details: { choices: known.map(({ name }) => name) },
    });
  });
}
