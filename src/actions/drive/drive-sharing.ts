import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { type Audience, people } from '../../providers/shared/audience.ts';
import { hashOf } from '../../providers/shared/version-hash.ts';
import { viewerOf } from '../../providers/workspace/file-audience.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { addressKey } from '../../validation/email-address.ts';
import { emailAddress, text } from '../../validation/validate.ts';
import { assertAsShown } from '../shared/as-shown.ts';
import { builtIn } from '../shared/built-in.ts';
import { quoted } from '../shared/display-text.ts';
import { fileReference } from '../shared/file-reference.ts';
import { PAGE_BYTES, pagePart, placeOf } from '../shared/page-part.ts';
import { nameTree, shownTree } from './drive-changes.ts';
import { getFile, isShortcut, nameFile, shownFile, shownLine } from './drive-file.ts';
import { type FilePermission, granteeOf, isInherited, listPermissions, removablePermission } from './file-permissions.ts';
import { contentsOf, idsOf, readSharedFile, type SharedFile, treeVersion } from './file-sharing.ts';

/** Without `owner`: a new owner can lock the user out. */
const ROLES = ['reader', 'commenter', 'writer'] as const;

const id = fileReference().describe('Id or URL of the file.');
const permission = z.object({ id: shownLine, role: shownLine, emailAddress: shownLine.optional() });

const shareInput = z.strictObject({
  id,
  email: emailAddress.describe('Mail address of the person.'),
  role: z.enum(ROLES).default('reader').describe('What the person may do.'),
  notify: z.boolean().default(true).describe('Tell the person by mail.'),
});

export const shareAction = builtIn('workspace', {
  name: 'drive.share',
  effect: 'destructive',
  description: 'Share a file, or a folder with its contents, with someone, who may read, comment or edit.',
  scopes: ['drive'],
  input: shareInput,
  output: z.object({ id: z.string(), name: z.string(), link: z.string().optional(), email: z.string(), role: z.string() }),
  allow: { email: ({ email }) => [email] },
  async facts({ id: wanted }, context) {
    const file = await fileToShare(context.session, wanted);
    return { file, version: file.version, contents: await contentsOf(context, file) };
  },
  version: (tree) => treeVersion(tree),
  about: (_input, tree) => idsOf(tree),
  exposes: ({ email }) => people([email]),
  summary: (input) => describeSharing(input, `${input.id}, with all its contents if it is a folder`),
  shown: (_input, tree) => ({ items: { id: [shownTree(tree)] } }),
  preview: async (input, _context, tree) => describeSharing(input, nameTree(tree)),
  async run({ id: wanted, email, role, notify }, context) {
    const { session, undoneBy } = context;
    const file = await fileToShare(session, wanted);
    await assertAsShown(context.version, 'id', async () =>
      treeVersion({ version: file.version, contents: await contentsOf(context, file) }),
    );
    const params = {
      fileId: file.id,
      requestBody: { type: 'user', role, emailAddress: email },
      sendNotificationEmail: notify,
      supportsAllDrives: true,
      fields: 'id,role,emailAddress',
    };
    const granted = await session.call('drive.permissions.create', params, permission);
    // A person who had access before would lose it.
    const isNew =
      file.permissions?.every((one) => one.emailAddress === undefined || addressKey(one.emailAddress) !== addressKey(email)) === true;
    if (isNew) undoneBy({ action: 'drive.unshare', input: { id: file.id, who: email }, summary: describeUnsharing(email, nameFile(file)) });
    return { id: file.id, name: file.name, link: file.webViewLink, email, role: granted.role };
  },
});

export const permissionsAction = builtIn('workspace', {
  name: 'drive.permissions',
  effect: 'read',
  description: 'List who has access to a file or folder: people, groups, domains, or anyone with the link.',
  scopes: ['drive'],
  input: z.strictObject({ id, page: text(4_096).optional().describe('`next` of the previous result.') }),
  output: z.object({
    id: z.string(),
    items: z.array(
      z.object({
        who: z.string().describe('Mail address, domain, or `anyone`.'),
        type: z.string().describe('user, group, domain or anyone.'),
        role: z.string(),
        name: z.string().optional(),
        inherited: z.boolean().describe('Passed on by a folder: to be removed there.'),
      }),
    ),
    next: z.string().optional().describe('There are more: pass this as `page`.'),
  }),
  sources: ({ id: item }) => [{ item, integrity: 'others', fields: ['who', 'name'] }],
  summary: ({ id: file }) => `List who has access to the file ${file}`,
  shown: async ({ id: file }, _facts, { session }) => ({ items: { id: [shownFile(await getFile(session, file))] } }),
  async run({ id: file, page }, { session, capBytes }) {
    const place = placeOf(page);
    const { permissions, next } = await listPermissions(session, file, place.token);
    return { id: file, ...pagePart(permissions.map(toItem), place, next, capBytes - PAGE_BYTES - file.length) };
  },
});

export const unshareAction = builtIn('workspace', {
  name: 'drive.unshare',
  effect: 'destructive',
  description: 'Take the access to a file or folder away from a person, group, domain, or everyone with the link.',
  scopes: ['drive'],
  input: z.strictObject({ id, who: text(320).describe('Address, domain or `anyone`, as drive.permissions lists it.') }),
  output: z.object({ id: z.string(), name: z.string(), who: z.string(), role: z.string().describe('The role that was taken away.') }),
  facts: ({ id: file, who }, { session }) => fileToUnshare(session, file, who),
  version: (facts) => unshareVersion(facts),
  exposes: (_input, { removed }) => losers(removed),
  summary: ({ id: file, who }) => describeUnsharing(who, `${file}, with all its contents if it is a folder`),
  shown: (_input, { file, removed }) => ({ items: { id: [shownFile(file)] }, role: removed.role }),
  preview: async ({ who }, _context, { file, removed }) => `${describeUnsharing(who, nameFile(file))}, as ${quoted(removed.role)}`,
  async run({ id: wanted, who }, { session, version, undoneBy }) {
    const found = await fileToUnshare(session, wanted, who);
    await assertAsShown(version, 'id', async () => unshareVersion(found));
    const { file, removed } = found;
    await session.call('drive.permissions.delete', { fileId: file.id, permissionId: removed.id, supportsAllDrives: true }, z.object({}));
    const { type, role, emailAddress: email, expirationTime } = removed;
    const again = shareInput.safeParse({ id: file.id, email, role, notify: false });
    if (type === 'user' && expirationTime === undefined && again.success) {
      undoneBy({ action: 'drive.share', input: again.data, summary: describeSharing(again.data, nameFile(file)) });
    }
    return { id: file.id, name: file.name, who: granteeOf(removed), role };
  },
});

/** @throws AppError `invalid_request` for a shortcut: the approval covers this id, not the shortcut's target */
async function fileToShare(session: WorkspaceSession, fileId: string): Promise<SharedFile> {
  const file = await readSharedFile(session, fileId);
  if (!isShortcut(file)) return file;
  throw new AppError('invalid_request', `id: ${quoted(file.name)} is a shortcut. Use the id of its target.`, {
    details: { target: file.shortcutDetails?.targetId },
  });
}

/** No one sees anything new, so that the text may change while the user decides: others may be writing it. */
function unshareVersion({ file, removed: { id: permissionId, type, role } }: Awaited<ReturnType<typeof fileToUnshare>>): string {
  return hashOf([file.version.place, permissionId, type, role]);
}

/** @throws AppError like {@link fileToShare} and {@link removablePermission} */
async function fileToUnshare(session: WorkspaceSession, fileId: string, who: string) {
  const [file, removed] = await Promise.all([fileToShare(session, fileId), removablePermission(session, fileId, who)]);
  return { file, removed };
}

/** Who notices that they lose access. No one in particular does if the link stops working. */
function losers(removed: FilePermission): Audience {
  return removed.type === 'anyone' ? [] : [viewerOf(removed)];
}

function toItem(one: FilePermission) {
  const { type, role, displayName: name } = one;
  return { who: granteeOf(one), type, role, name, inherited: isInherited(one) };
}

function describeSharing({ email, role, notify }: z.output<typeof shareInput>, what: string): string {
  return `Share with ${email} as ${role}${notify ? ', notifying them by mail' : ''}: ${what}`;
}

function describeUnsharing(who: string, what: string): string {
  return `Take away the access of ${who.toLowerCase() === 'anyone' ? 'anyone with the link' : quoted(who)} to ${what}`;
}
