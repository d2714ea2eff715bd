import { hash } from 'node:crypto';
import { AppError } from '../../errors.ts';
import { workerTask } from '../../off-thread/worker-task.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { fieldValue, isContentField, type MimePart, nameOf, parsePart, withParts, writtenPart } from './mime-tree.ts';

/** What changes in a stored message. */
export interface MimeChanges {
  /** The stored message, base64url. */
  raw: string;
  /** A message with the new fields and the new text. */
  composed: Uint8Array;
  /** Names of the fields that are replaced by those of the composed message, or removed if it has none. */
  fields: readonly string[];
  /** Whether its text replaces the stored one. */
  isTextNew: boolean;
}

/**
 * The stored message with other header fields or another text (RFC 5322, 2046): all other fields, parts and files stay as
 * they are, byte by byte.
 *
 * @throws AppError `invalid_request` for another text in a message that is signed or encrypted
 */
export const editedMime = workerTask(import.meta.url, 'editedMime', async ({ raw, composed, fields, isTextNew }: MimeChanges) => {
  const { parseHeaderValue } = await import('nodemailer/lib/mime-funcs');
  const stored = parsePart(Buffer.from(raw, 'base64url').toString('latin1'), parseHeaderValue);
  const given = parsePart(Buffer.from(composed).toString('latin1'), parseHeaderValue);
  const { fields: kept, ...rest } = isTextNew ? withText(stored, given) : stored;
  const replaced = fields.reduce((all, name) => replaceField(all, name, given.fields), kept);
  return Buffer.from(writtenPart({ ...rest, fields: replaced }), 'latin1');
});

/** Longer messages are edited off the main thread; characters of base64. */
const LONG = 200_000;

/** The same on the right thread. */
export async function editMime(session: WorkspaceSession, changes: MimeChanges): Promise<Buffer> {
  if (changes.raw.length <= LONG) return editedMime.run(changes);
  // Bytes lose their class on the way between threads.
  const { buffer, byteOffset, byteLength } = await session.offThread(editedMime, changes);
  return Buffer.from(buffer, byteOffset, byteLength);
}

function replaceField(fields: readonly string[], name: string, given: readonly string[]): readonly string[] {
  const added = given.filter((field) => nameOf(field) === name);
  const at = fields.findIndex((field) => nameOf(field) === name);
  const others = fields.filter((field) => nameOf(field) !== name);
  return others.toSpliced(at === -1 ? others.length : at, 0, ...added);
}

/** The message with another text, in the place of its first one; its other texts are removed. */
function withText(root: MimePart, given: MimePart): Pick<MimePart, 'fields' | 'blank' | 'content'> {
  if (isProtected(root)) {
    throw new AppError('invalid_request', 'id: The text of this draft is signed or encrypted. Change it in the mail service.');
  }
  // In a container, the last line break would belong to the delimiter behind it.
  const text = { ...given, fields: given.fields.filter(isContentField), content: given.content.replace(/\r?\n$/, '') };
  const { parts, isPlaced } = replaceTexts(root, text, false);
  const all = isPlaced ? parts : [text, ...(parts[0] === root && root.parts.length > 0 ? root.parts : parts)];
  const [only] = all;
  if (only !== undefined && all.length === 1) return only.fields === root.fields ? only : asMessage(root, only === text ? given : only);
  // No text holds its own hash.
  const boundary = `steward-${hash('sha256', writtenPart(root)).slice(0, 40)}`;
  const container = {
    ...root,
    boundary,
    preamble: '',
    epilogue: '\r\n',
    fields: [`Content-Type: multipart/mixed; boundary="${boundary}"\r\n`],
  };
  return asMessage(
    root,
    withParts(
      container,
      all.map((part) => (part === root ? withoutMessageFields(part) : part)),
    ),
  );
}

/** The text in place of the first one of a tree. Of alternatives only files remain, since there is nothing left to choose from. */
function replaceTexts(part: MimePart, text: MimePart, isPlacedBefore: boolean): { parts: MimePart[]; isPlaced: boolean } {
  if (isText(part)) return { parts: isPlacedBefore ? [] : [text], isPlaced: true };
  if (part.parts.length === 0) return { parts: [part], isPlaced: isPlacedBefore };
  const parts: MimePart[] = [];
  let isPlaced = isPlacedBefore;
  for (const child of part.parts) {
    const replaced = replaceTexts(child, text, isPlaced);
    parts.push(...replaced.parts);
    isPlaced = replaced.isPlaced;
  }
  const isSame = parts.length === part.parts.length && parts.every((one, index) => one === part.parts[index]);
  if (isSame) return { parts: [part], isPlaced };
  const isContainer = part.type !== 'multipart/alternative' && !(isPlacedBefore && part.type === 'multipart/related');
  return { parts: isContainer && parts.length > 0 ? [withParts(part, parts)] : parts, isPlaced };
}

/** What readers show as the message's text. */
function isText({ type, fields }: MimePart): boolean {
  const disposition = fieldValue(fields, 'content-disposition') ?? '';
  const isFile = /^attachment\b/i.test(disposition) || /;\s*filename\b/i.test(disposition);
  return (type === 'text/plain' || type === 'text/html') && !isFile && !/;\s*name\b/i.test(fieldValue(fields, 'content-type') ?? '');
}

function isProtected({ type, parts }: MimePart): boolean {
  return type === 'multipart/signed' || type === 'multipart/encrypted' || parts.some(isProtected);
}

/** With the fields of the message that don't describe its content. */
function asMessage(root: MimePart, { fields, blank, content }: MimePart): Pick<MimePart, 'fields' | 'blank' | 'content'> {
  const own = root.fields.filter((field) => !isContentField(field));
  const version = own.some((field) => nameOf(field) === 'mime-version') ? [] : ['MIME-Version: 1.0\r\n'];
  return { fields: [...own, ...version, ...fields.filter(isContentField)], blank, content };
}

function withoutMessageFields(part: MimePart): MimePart {
  return { ...part, fields: part.fields.filter(isContentField) };
}
