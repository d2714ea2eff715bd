import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { people } from '../../providers/audience.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { emailAddress } from '../../validation/validate.ts';
import { builtIn } from '../built-in.ts';
import { fileReference } from '../file-reference.ts';
import { type DriveFile, getFile, isShortcut, nameFile, shownLine } from './drive-file.ts';

/** Without `owner`: a new owner can lock the user out. */
const ROLES = ['reader', 'commenter', 'writer'] as const;

const permission = z.object({ id: shownLine, role: shownLine, emailAddress: shownLine.optional() });

const input = z.strictObject({
  id: fileReference().describe('Id or web address of the file.'),
  email: emailAddress.describe('E-mail address of the person.'),
  role: z.enum(ROLES).describe('What the person may do.'),
  notify: z.boolean().default(true).describe('E-mail the person.'),
});

export const shareAction = builtIn('workspace', {
  name: 'drive.share',
  effect: 'destructive',
  description: 'Share a file, or a folder with all its contents, with someone who may then read, comment or edit it.',
  scopes: ['drive'],
  input,
  output: z.object({ id: z.string(), name: z.string(), link: z.string().optional(), email: z.string(), role: z.string() }),
  allow: { email: ({ email }) => [email] },
  facts: ({ id }, { session }) => fileToShare(session, id),
  exposes: ({ email }) => people([email]),
  summary: (input) => summarise(input, `${input.id}, with all its contents if it is a folder`),
  preview: async (input, _context, file) => summarise(input, nameFile(file)),
  async run({ id, email, role, notify }, { session }) {
    const file = await fileToShare(session, id);
    const params = {
      fileId: file.id,
      requestBody: { type: 'user', role, emailAddress: email },
      sendNotificationEmail: notify,
      supportsAllDrives: true,
      fields: 'id,role,emailAddress',
    };
    const granted = await session.call('drive.permissions.create', params, permission);
    return { id: file.id, name: file.name, ...(file.webViewLink !== undefined && { link: file.webViewLink }), email, role: granted.role };
  },
});

/** @throws AppError `invalid_request` for a shortcut: the approval covers this id, not the shortcut's target */
async function fileToShare(session: WorkspaceSession, id: string): Promise<DriveFile> {
  const file = await getFile(session, id);
  if (!isShortcut(file)) return file;
  throw new AppError('invalid_request', `id: “${file.name}” is a shortcut. Share its target by the target’s id.`, {
    details: { target: file.shortcutDetails?.targetId },
  });
}

function summarise({ email, role, notify }: z.output<typeof input>, what: string): string {
  return `Share with ${email} as ${role}${notify ? ', notifying them by e-mail' : ''}: ${what}`;
}
