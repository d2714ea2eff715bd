import { workerTask } from '../../off-thread/worker-task.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import { decodeText } from '../files/decode-text.ts';
import { textType } from '../files/text-types.ts';
import { parameterOf } from './header-parameters.ts';
import { LONG_CONTENT } from './mail-body.ts';
import { attachmentsOf, MAX_PARTS, type MailPart, partData, readPayload } from './mail-parts.ts';
import { hexBytes } from './mail-text.ts';
import { fieldValue, type MimePart, nameOf, parsePart } from './mime-tree.ts';
import { MESSAGES } from './part-kind.ts';

/** Characters of base64. Longer ones are read as the text that they are. */
const MAX_DATA = 14_000_000;
/** Messages in messages; deeper ones stay files. */
const MAX_MESSAGES = 10;
/** Any other text may begin with a line that looks like a field. */
const USUAL_FIELDS: readonly string[] = ['from', 'to', 'date', 'subject', 'message-id', 'received', 'return-path'];
/** Further ones aren't read. */
const MAX_FIELDS = 1_000;
const FIELD_NAME = /^[\x21-\x39\x3b-\x7e]{1,200}$/;

/**
 * A message that is attached as a file (`.eml`, RFC 5322), whose parts the provider doesn't give, with its parts, as those of
 * any other attached message.
 *
 * @returns the part itself if it is no such file
 * @throws AppError `too_large` for one with too many parts or levels
 */
export async function openedMessage(session: WorkspaceSession, messageId: string, part: MailPart): Promise<MailPart> {
  if (part.kind !== 'file' || !MESSAGES.has(textType(part.mimeType, part.fileName) ?? '')) return part;
  const data = await partData(session, messageId, part);
  if (data.length > MAX_DATA) return { ...part, data };
  const input = { data, id: `${prefixOf(part)}0` };
  const payload = await (data.length > LONG_CONTENT.plain ? session.offThread(messagePayload, input) : messagePayload.run(input));
  if (payload === undefined) return { ...part, data };
  const { kind, addresses, parts } = readPayload(payload);
  return { ...part, kind, addresses, parts, data };
}

/** The part with this id, also of messages that are attached as files. */
export async function partWithId(
  session: WorkspaceSession,
  messageId: string,
  parts: readonly MailPart[],
  id: string,
): Promise<MailPart | undefined> {
  const found = parts.find((part) => part.id === id);
  if (found !== undefined) return found;
  const holder = parts.find((part) => part.kind === 'file' && id.startsWith(prefixOf(part)));
  if (holder === undefined) return undefined;
  const opened = await openedMessage(session, messageId, holder);
  return partWithId(session, messageId, opened.parts.flatMap(attachmentsOf), id);
}

/** What the ids of the parts in a part begin with. */
function prefixOf({ id }: Pick<MailPart, 'id'>): string {
  return id === 'root' ? '' : `${id}.`;
}

/** The payload by which the provider would describe an attached message; undefined for what is none. */
export const messagePayload = workerTask(import.meta.url, 'messagePayload', ({ data, id }: { data: string; id: string }) => {
  const message = parsed(Buffer.from(data, 'base64url').toString('latin1'));
  if (!message.fields.some((field) => USUAL_FIELDS.includes(nameOf(field)))) return undefined;
  return { mimeType: 'message/rfc822', parts: [payloadOf(message, id, MAX_MESSAGES)] };
});

/** @param left levels of messages in this one that are read */
function payloadOf(part: MimePart, id: string, left: number): object {
  const { fields } = part;
  const content = part.parts.length > 0 ? Buffer.alloc(0) : decodedContent(part);
  const inside = left > 0 && MESSAGES.has(part.type) ? [parsed(content.toString('latin1'))] : part.parts;
  const levels = inside === part.parts ? left : left - 1;
  return {
    partId: id,
    mimeType: part.type,
    headers: fields
      .slice(0, MAX_FIELDS)
      .filter((field) => FIELD_NAME.test(nameOf(field)))
      .map(asGiven),
    body: { size: content.length, data: content.toString('base64url') },
    // One too many is as good as all: the message is rejected.
    parts: inside.slice(0, MAX_PARTS + 1).map((one, index) => payloadOf(one, `${id}.${index}`, levels)),
  };
}

function parsed(raw: string): MimePart {
  return parsePart(raw, (value) => ({ value: value.split(';', 1)[0], params: { boundary: parameterOf(value, 'boundary') ?? '' } }));
}

/** Unfolded, and decoded as the provider does it: fields may be UTF-8 (RFC 6532, 3.2). */
function asGiven(field: string): { name: string; value: string } {
  const name = nameOf(field);
  return { name, value: decodeText(Buffer.from(fieldValue([field], name) ?? '', 'latin1'), {}) };
}

/** The bytes of a content, of which there is one character each (RFC 2045, 6). */
function decodedContent({ fields, content }: MimePart): Buffer {
  const encoding = fieldValue(fields, 'content-transfer-encoding')?.toLowerCase();
  if (encoding === 'base64') return Buffer.from(content, 'base64');
  if (encoding === 'quoted-printable') return hexBytes(content.replace(/=[ \t]*\r?\n/g, ''), /=([0-9a-f]{2})/gi);
  return Buffer.from(content, 'latin1');
}
