import { workerTask } from '../../off-thread/worker-task.ts';
import type { WorkspaceSession } from '../../providers/workspace/workspace-session.ts';
import type { Recipient } from './mail-fields.ts';

/** The fields that make a message part of a thread. */
export interface Reply {
  threadId: string;
  subject: string;
  /** Message-ID of the message replied to; undefined if it has none. */
  inReplyTo: string | undefined;
  /** Message-IDs of the thread, oldest first, `inReplyTo` last. */
  references: readonly string[];
}

/** A file of a message. */
export interface AttachedFile {
  name: string;
  /** undefined: derived from the name. */
  mime: string | undefined;
  content: Uint8Array;
  isText?: boolean;
}

/** A whole message. */
export interface Composition extends Record<'to' | 'cc' | 'bcc', readonly Recipient[]> {
  subject: string;
  body: string;
  /** The same as HTML. */
  html?: string | undefined;
  files: readonly AttachedFile[];
  reply: Pick<Reply, 'inReplyTo' | 'references'> | undefined;
  /** No person sends it: programs that receive it answer nothing, and no automation that may send is started by it. */
  isAutomatic?: boolean;
}

/** Longer messages are uploaded, because the provider limits the length of JSON. */
const MAX_INLINE = 1_000_000;

/** Longer messages are composed off the main thread; bytes of their files, and UTF-16 units of their texts. */
const LONG = 200_000;

/**
 * The message as MIME text: ASCII, but for addresses with letters of other scripts, which are UTF-8 (RFC 6532).
 *
 * @param from the account's own address
 */
export async function composeMime(session: WorkspaceSession, message: Composition, from: string): Promise<Buffer> {
  const { body, html = '', files } = message;
  const length = files.reduce((sum, { content }) => sum + content.length, body.length + html.length);
  if (length <= LONG) return composed.run({ message, from });
  // Bytes lose their class on the way between threads.
  const { buffer, byteOffset, byteLength } = await session.offThread(composed, { message, from });
  return Buffer.from(buffer, byteOffset, byteLength);
}

interface ComposeInput {
  message: Composition;
  from: string;
}

export const composed = workerTask(
  import.meta.url,
  'composed',
  async ({ message: { reply, files, isAutomatic, ...mail }, from }: ComposeInput) => {
    const [{ default: MailComposer }, { detectMimeType }] = await Promise.all([
      import('nodemailer/lib/mail-composer'),
      import('nodemailer/lib/mime-funcs'),
    ]);
    const message = new MailComposer({
      from,
      to: [...mail.to],
      cc: [...mail.cc],
      bcc: [...mail.bcc],
      subject: mail.subject,
      ...(reply?.inReplyTo !== undefined && { inReplyTo: reply.inReplyTo }),
      ...(reply !== undefined && { references: [...reply.references] }),
      // RFC 3834, 5.1.
      ...(isAutomatic === true && { headers: { 'Auto-Submitted': 'auto-generated' } }),
      text: mail.body.replace(/\r\n?/g, '\n'),
      ...(mail.html !== undefined && { html: mail.html }),
      attachments: files.map(({ name, mime: given, content, isText }) => {
        const mime = given ?? detectMimeType(name);
        return {
          filename: name,
          content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
          contentType: isText === true && mime.startsWith('text/') ? `${mime}; charset=utf-8` : mime,
          contentTransferEncoding: 'base64',
        };
      }),
      // Lines of the body end in CRLF too (RFC 5322 section 2.3).
      newline: 'windows',
      // Content must not be read from the disk or fetched.
      disableFileAccess: true,
      disableUrlAccess: true,
    }).compile();
    // The provider reads the bcc recipients from the message and removes them.
    message.keepBcc = true;
    return message.build();
  },
);

/**
 * A message as the provider's methods take it: in the body, or as an upload if it is long.
 *
 * @param inBody puts the provider's message into the method's body
 */
export function messageParams(mime: Buffer, threadId: string | undefined, inBody: (message: object) => object): object {
  const thread = threadId === undefined ? {} : { threadId };
  if (mime.length <= MAX_INLINE) return { requestBody: inBody({ raw: mime.toString('base64url'), ...thread }) };
  return { requestBody: inBody(thread), media: { mimeType: 'message/rfc822', body: mime.toString('latin1') } };
}
