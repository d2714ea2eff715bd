import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { hashOf } from '../../providers/shared/version-hash.ts';
import { text } from '../../validation/validate.ts';
import { nameFolder, shownFolder } from '../drive/drive-changes.ts';
import { changeFile, fileItem, folderIdOf, MY_DRIVE, NATIVE, NOT_VISIBLE_TO_DOMAIN, writtenIn } from '../drive/drive-file.ts';
import { destinationIn, type FileFacts, folderFacts, idsOf, placeVersion } from '../drive/file-sharing.ts';
import { assertAsShown } from '../shared/as-shown.ts';
import { builtIn } from '../shared/built-in.ts';
import { quoted } from '../shared/display-text.ts';
import { fileReference } from '../shared/file-reference.ts';
import { namedIds } from '../shared/named-ids.ts';
import { attachmentId, findAttachment, shownPart } from './mail-attachment.ts';
import { mailId } from './mail-fields.ts';
import { attachmentName, type MailPart, partData } from './mail-parts.ts';

/** A type that the provider would convert is stored as it is. */
const ANY = 'application/octet-stream';
const MIME = /^[\w.+-]{1,100}\/[\w.+-]{1,150}$/;

export const saveAttachment = builtIn('workspace', {
  name: 'mail.save_attachment',
  effect: 'write',
  description: 'Save an attachment of a message as a file in the drive.',
  scopes: ['mail.modify'],
  alsoNeeds: () => ['drive'],
  input: z.strictObject({
    message: mailId.describe('Id of the message.'),
    attachment: attachmentId,
    folder: fileReference().default(MY_DRIVE).describe('Id or URL of a folder; `root` is My Drive.'),
    name: text(255).optional().describe('Name of the new file; absent = the attachment’s.'),
  }),
  output: fileItem,
  sources: ({ id, name }) => [{ item: id, integrity: 'others', name, fields: ['name'] }],
  async facts({ message, attachment, folder }, context) {
    const [part, target] = await Promise.all([findAttachment(context.session, message, attachment), folderFacts(context, folder)]);
    return { part, target };
  },
  version: ({ part, target }) => saveVersion(part, target),
  about: (input, { target }) => [...namedIds(input), ...idsOf(target)],
  destination: ({ target }) => destinationIn(target),
  writes: (_input, output) => (output === undefined ? [] : writtenIn(output)),
  exposes: (_input, { target }) => target?.audience ?? [],
  summary: ({ message, attachment, folder, name }) =>
    `Save in ${folder === MY_DRIVE ? 'My Drive' : `the folder ${folder}`}: attachment ${attachment} of message ${message}${as(name)}`,
  shown: (_input, { part, target }) => ({
    items: {
      attachment: [shownPart(part)],
      folder: [shownFolder(target)],
    },
  }),
  preview: async ({ message, name }, _context, { part, target }) =>
    `Save in ${nameFolder(target)}: the attachment ${quoted(attachmentName(part))} (${quoted(part.mimeType)}, ${part.size} bytes) of message ${message}${as(name)}`,
  async run({ message, attachment, folder, name }, context) {
    const { session, undoneBy } = context;
    const part = await findAttachment(session, message, attachment);
    const parents = [await folderIdOf(session, folder)];
    const bytes = Buffer.from(await partData(session, message, part), 'base64url');
    if (bytes.length === 0) throw new AppError('invalid_request', 'attachment: is empty.');
    const mimeType = MIME.test(part.mimeType) && !part.mimeType.startsWith(NATIVE) ? part.mimeType : ANY;
    await assertAsShown(context.version, 'folder', async () => saveVersion(part, await folderFacts(context, folder)));
    const saved = await changeFile(session, 'drive.files.create', {
      ...NOT_VISIBLE_TO_DOMAIN,
      requestBody: { name: name ?? attachmentName(part), mimeType, parents },
      media: { mimeType, body: bytes },
    });
    undoneBy({ action: 'drive.trash', input: { id: saved.id }, summary: `Move the saved file ${quoted(saved.name)} to the trash` });
    return saved;
  },
});

/** A message never changes, but the folder may. */
function saveVersion({ fileName, mimeType, size }: MailPart, target: FileFacts | undefined): string {
  return hashOf([fileName, mimeType, size, placeVersion(target)]);
}

function as(name: string | undefined): string {
  return name === undefined ? '' : `, as ${quoted(name)}`;
}
