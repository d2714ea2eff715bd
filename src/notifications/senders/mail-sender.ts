import { createTransport, type Transporter } from 'nodemailer';
import { notices as words } from '../../../public/language/en/notifications.js';
import type { MailSettings } from '../../config/config.ts';
import { needsTls } from '../../config/mail-config.ts';
import type { MailDestination } from './destination.ts';
import type { Message } from './message-text.ts';
import { type Outcome, type Outgoing, REJECTED, type Sender } from './sender.ts';

const CONNECT_MS = 10_000;
const IDLE_MS = 20_000;

export interface MailOptions {
  settings: MailSettings;
  publicUrl: string;
  /** The page where channels are, from `/` on. */
  settingsPath: string;
}

/** A mail that was written. */
export interface PlainMail {
  id: string;
  to: string;
  subject: string;
  text: string;
}

/** Sends plain text by the operator's mail server. */
export class MailSender implements Sender<MailDestination> {
  readonly #options: MailOptions;
  readonly #transport: Transporter;

  constructor(options: MailOptions) {
    const { host, port, implicitTls, credentials } = options.settings;
    this.#options = options;
    this.#transport = createTransport({
      host,
      port,
      secure: implicitTls,
      requireTLS: !implicitTls && needsTls(options.settings),
      ...(credentials && { auth: { user: credentials.user, pass: credentials.password } }),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: IDLE_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  send({ address }: MailDestination, { id, message }: Outgoing): Promise<Outcome> {
    return this.write({ id, to: address, subject: message.subject, text: this.#textOf(message) });
  }

  /** RFC 3834, 5: nothing replies to it by itself. The id stays the same when it is sent again. */
  async write({ id, to, subject, text }: PlainMail): Promise<Outcome> {
    const { settings, publicUrl } = this.#options;
    try {
      await this.#transport.sendMail({
        messageId: `<${id}@${new URL(publicUrl).hostname}>`,
        from: { name: 'Steward', address: settings.from },
        to: { name: '', address: to },
        subject,
        text,
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      });
      return 'sent';
    } catch (error) {
      return outcomeOf(error);
    }
  }

  #textOf({ items, more }: Message): string {
    const { publicUrl, settingsPath } = this.#options;
    const parts = items.map(({ text, url }) => `${text}\n${url}`);
    const rest = more > 0 ? [words.andMore(more)] : [];
    return `${[...parts, ...rest, `-- \n${words.why}\n${words.settings}${publicUrl}${settingsPath}`].join('\n\n')}\n`;
  }
}

/** A server that rejects the recipient for good (RFC 5321, 4.2.1) will not take the next mail either. */
function outcomeOf(error: unknown): Outcome {
  const { code, responseCode = 0, command } = error as { code?: string; responseCode?: number; command?: string };
  if (code === 'EENVELOPE' && command === 'RCPT TO' && responseCode >= 500) return { error: 'rejected', isFinal: true };
  if (code === 'ETIMEDOUT') return { error: 'timed_out', isFinal: false };
  return responseCode > 0 ? REJECTED : { error: 'unreachable', isFinal: false };
}
