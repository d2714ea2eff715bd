import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { emailAddress } from '../../validation/validate.ts';
import { builtIn } from '../built-in.ts';
import { fileReference } from '../file-reference.ts';
import { getFile, isShortcut, nameFile, shownLine } from './drive-file.ts';

/** Never `owner`: who is given that can lock the user out. */
const ROLES = ['reader', 'commenter', 'writer'] as const;

const permission = z.object({ id: shownLine, role: shownLine, emailAddress: shownLine.optional() });

const input = z.strictObject({
  id: fileReference().describe('Id or web address of the file.'),
  email: emailAddress.describe('Who may see it.'),
  role: z.enum(ROLES),
  notify: z.boolean().default(true).describe('Send them a mail about it.'),
});

export const shareAction = builtIn({
  name: 'drive.share',
  provider: 'workspace',
  effect: 'destructive',
  description: 'Let someone see, comment or change a file, or a folder with all that is in it.',
  scopes: ['drive'],
  input,
  output: z.object({ id: z.string(), name: z.string(), link: z.string().optional(), email: z.string(), role: z.string() }),
  allow: { email: ({ email }) => [email] },
  summary: (input) => summarise(input, `${input.id}, with all that is in it if it is a folder`),
  preview: async (input, { session }) => summarise(input, await nameFile(session, input.id)),
  async run({ id, email, role, notify }, { session }) {
    const file = await getFile(session, id);
    // What was approved is this id, not what it leads to.
    if (isShortcut(file)) {
      throw new AppError('invalid_request', `id: “${file.name}” is a shortcut. Share what it leads to, by its own id.`, {
        details: { target: file.shortcutDetails?.targetId },
      });
    }
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

function summarise({ email, role, notify }: z.output<typeof input>, what: string): string {
  return `Share with ${email} as ${role}${notify ? ', telling them by e-mail' : ''}: ${what}`;
}
