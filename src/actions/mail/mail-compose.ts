import { contentOf, type OutgoingMail } from './mail-outgoing.ts';

/** The fields that make a message part of a thread. */
export interface Reply {
  threadId: string;
  subject: string;
  /** Message-ID of the message replied to; undefined if it has none. */
  inReplyTo: string | undefined;
  /** Message-IDs of the thread, oldest first, `inReplyTo` last. */
  references: readonly string[];
}

/**
 * The message as MIME text, base64url, as the provider expects it.
 *
 * @param from the account's own address
 */
export async function composeMime(mail: OutgoingMail, from: string, reply: Reply | undefined): Promise<string> {
  const [{ default: MailComposer }, { detectMimeType }] = await Promise.all([
    import('nodemailer/lib/mail-composer'),
    import('nodemailer/lib/mime-funcs'),
  ]);
  const message = new MailComposer({
    from,
    to: mail.to,
    cc: mail.cc,
    bcc: mail.bcc,
    subject: reply?.subject ?? mail.subject ?? '',
    ...(reply?.inReplyTo !== undefined && { inReplyTo: reply.inReplyTo }),
    ...(reply !== undefined && { references: [...reply.references] }),
    text: mail.body.replace(/\r\n?/g, '\n'),
    attachments: mail.attachments.map((file) => {
      const mime = file.mime ?? detectMimeType(file.name);
      return {
        filename: file.name,
        content: contentOf(file),
        contentType: file.text !== undefined && mime.startsWith('text/') ? `${mime}; charset=utf-8` : mime,
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
  return (await message.build()).toString('base64url');
}
