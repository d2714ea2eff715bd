import { contentOf, type OutgoingMail } from './mail-outgoing.ts';

/** What makes a message part of a thread. */
export interface Reply {
  threadId: string;
  subject: string;
  /** Message-ID of what is answered; undefined when it had none. */
  inReplyTo: string | undefined;
  /** The chain so far, oldest first, `inReplyTo` last. */
  references: readonly string[];
}

/**
 * The message as MIME text, base64url, as the provider takes it.
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
    // RFC 5322, 2.3: lines of the text end in CRLF, as the headers do.
    newline: 'windows',
    // Nothing of it may be read from this machine's disk or fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  // The provider takes the hidden recipients from the text and removes them.
  message.keepBcc = true;
  return (await message.build()).toString('base64url');
}
