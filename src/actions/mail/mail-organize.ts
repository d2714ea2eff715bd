import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { nameKey } from '../../validation/lower-case.ts';
import { text } from '../../validation/validate.ts';
import { builtIn } from '../shared/built-in.ts';
import { quoted } from '../shared/display-text.ts';
import { labelList } from './gmail-responses.ts';
import { mailId } from './mail-fields.ts';
import { changeLabels, type LabelChange, labelsOfMessages, oppositeChange } from './mail-label-state.ts';
import { nameMessages, shownMails } from './mail-preview.ts';

const MAX_LABELLED = 100;
/** Of more messages, the former labels aren't read: a request for each would take too long. */
const MAX_REVERTED = 25;
/** The provider deletes mail in these after a while, so moving it there is more than labelling. */
const DELETING_LABELS = new Set(['TRASH', 'SPAM']);

const labels = z.array(text(225)).max(20).default([]);

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
      ids: z.array(mailId).min(1).max(MAX_LABELLED).describe('Ids of messages.'),
      add: labels.describe('Labels to add, by name or id.'),
      remove: labels.describe('Labels to remove, by name or id.'),
    })
    .refine(({ add, remove }) => add.length + remove.length > 0, { path: ['add'], error: 'give a label to add or to remove' }),
  output: z.object({ changed: z.number().describe('Number of messages.'), added: z.array(z.string()), removed: z.array(z.string()) }),
  summary: ({ ids: messages, add, remove }) =>
    `Label ${messages.length} messages (${messages.join(', ')}): add ${add.map(quoted).join(', ') || 'none'}, remove ${remove.map(quoted).join(', ') || 'none'}`,
  async shown(input, _facts, { session }) {
    const [messages, known] = await Promise.all([nameMessages(session, input.ids), fetchLabels(session)]);
    const named = (label: string) => find(known, label)?.name ?? label;
    return { items: { ids: shownMails(messages) }, labels: { add: input.add.map(named), remove: input.remove.map(named) } };
  },
  async run(input, { session, undoneBy }) {
    const known = await fetchLabels(session);
    const added = resolve(known, 'add', input.add);
    const removed = resolve(known, 'remove', input.remove);
    if (added.some(({ id }) => DELETING_LABELS.has(id))) throw new AppError('invalid_request', 'add: use mail.trash to delete messages.');
    const both = removed.findIndex((label) => added.includes(label));
    if (both !== -1) throw new AppError('invalid_request', `remove: ${input.remove[both]} can’t be added and removed at once.`);
    const messages = [...new Set(input.ids)];
    const [addedIds, removedIds] = [added.map(({ id }) => id), removed.map(({ id }) => id)];
    const before = messages.length > MAX_REVERTED ? [] : await labelsOfMessages(session, messages).catch(() => []);
    await changeLabels(session, messages, addedIds, removedIds);
    const undo = oppositeChange(before, addedIds, removedIds);
    // Nothing is moved to the trash without the user's approval, not even back.
    if (undo !== undefined && !undo.add.some((id) => DELETING_LABELS.has(id))) {
      undoneBy({ action: 'mail.label', input: undo, summary: describeUndo(undo, known) });
    }
    return { changed: messages.length, added: added.map(({ name }) => name), removed: removed.map(({ name }) => name) };
  },
});

function describeUndo({ ids, add, remove }: LabelChange, known: Labels): string {
  const named = (labels: readonly string[]) => labels.map((id) => quoted(known.find((label) => label.id === id)?.name ?? id)).join(', ');
  return `Label ${ids.length} messages as before: add ${named(add) || 'none'}, remove ${named(remove) || 'none'}`;
}

async function fetchLabels(session: WorkspaceSession): Promise<Labels> {
  return (await session.call('gmail.users.labels.list', { userId: 'me', fields: 'labels(id,name,type)' }, labelList)).labels;
}

/** Ids take precedence over names, and exact names over names in another case. */
function find(known: Labels, label: string): Labels[number] | undefined {
  return (
    known.find(({ id }) => id === label) ??
    known.find(({ name }) => name === label) ??
    known.find(({ name }) => nameKey(name) === nameKey(label))
  );
}

function resolve(known: Labels, field: string, labels: readonly string[]): Labels {
  return labels.map((label) => {
    const found = find(known, label);
    if (found !== undefined) return found;
    throw new AppError('invalid_request', `${field}: There is no label with this name: ${label}.`, {
      details: { choices: known.map(({ name }) => name), ids: known.map(({ id }) => id) },
    });
  });
}
