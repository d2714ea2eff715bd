import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail that arrived. */
export interface ArrivedMail {
  from: string;
  to: string[];
  /** Names in lower case; unfolded. */
  headers: Record<string, string>;
  text: string;
}

export interface Mailbox {
  env: Record<string, string>;
  mails: ArrivedMail[];
  /** Status with which recipients are refused; undefined: they are taken. */
  refusal: number | undefined;
  close(): Promise<void>;
}

/** A mail server on loopback that keeps what it is given. */
export async function startMailbox(): Promise<Mailbox> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onRcptTo(_address, _session, done) {
      if (mailbox.refusal === undefined) return done();
      done(Object.assign(new Error('refused'), { responseCode: mailbox.refusal }));
    },
    onData(stream, { envelope }, done) {
      let raw = '';
      stream.setEncoding('utf8');
      stream.on('data', (part: string) => (raw += part));
      stream.on('end', () => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mailbox.mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), ...parsed(raw) });
        done();
      });
    },
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const mailbox: Mailbox = {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'steward@example.com' },
    mails: [],
    refusal: undefined,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mailbox;
}

function parsed(raw: string): Pick<ArrivedMail, 'headers' | 'text'> {
  const end = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  return { headers, text: bodyOf(raw.slice(end + 4), headers['content-transfer-encoding'] ?? '') };
}

function bodyOf(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body.replaceAll('\r\n', '\n');
  const bytes = body.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString().replaceAll('\r\n', '\n');
}
