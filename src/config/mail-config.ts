import { isEmailAddress } from '../validation/email-address.ts';
import { type Config, isLoopback, type MailSettings } from './config.ts';
import type { Problems } from './config-problems.ts';
import type { Variables } from './environment.ts';

type MailVariables = Pick<Variables, 'SMTP_URL' | 'SMTP_HOST' | 'SMTP_PORT' | 'SMTP_USER' | 'SMTP_PASSWORD' | 'MAIL_FROM'>;
type Server = Omit<MailSettings, 'from'>;

const PARTS = ['SMTP_HOST', 'SMTP_PORT', 'SMTP_USER', 'SMTP_PASSWORD'] as const;
/** RFC 6409 and RFC 8314. */
const SUBMISSION = 587;
const SUBMISSIONS = 465;
const HOST = /^[\p{L}\p{N}.:-]{1,253}$/u;

/** The server that takes mail: by one address, or by its parts. */
export function mailSettings(env: MailVariables, problems: Problems): Config['mail'] {
  const server = env.SMTP_URL === undefined ? byParts(env, problems) : byAddress(env, env.SMTP_URL, problems);
  if (server === undefined) return problems.production ? undefined : 'sandbox';
  if (env.MAIL_FROM === undefined) problems.add('MAIL_FROM', 'is missing: the sender of mail');
  else if (!isEmailAddress(env.MAIL_FROM)) problems.add('MAIL_FROM', 'must be a mail address such as steward@example.com');
  return { ...server, from: env.MAIL_FROM ?? '' };
}

function byParts(env: MailVariables, problems: Problems): Server | undefined {
  const { SMTP_HOST: host, SMTP_PORT: port = SUBMISSION, SMTP_USER: user, SMTP_PASSWORD: password } = env;
  if (host === undefined) {
    const stray = PARTS.find((name) => env[name] !== undefined);
    if (stray !== undefined) problems.add('SMTP_HOST', `is missing: ${stray} is set`);
    return undefined;
  }
  if (!HOST.test(host)) problems.add('SMTP_HOST', 'must be the name of a host');
  if ((user === undefined) !== (password === undefined)) {
    problems.add(user === undefined ? 'SMTP_USER' : 'SMTP_PASSWORD', 'is missing: set both or neither');
  }
  return { host, port, implicitTls: port === SUBMISSIONS, credentials: credentialsOf(user, password) };
}

function byAddress(env: MailVariables, address: string, problems: Problems): Server | undefined {
  const both = PARTS.find((name) => env[name] !== undefined);
  if (both !== undefined) problems.add('SMTP_URL', `and ${both} exclude each other`);
  const url = URL.parse(address);
  const isWhole = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && /^\/?$/.test(url.pathname) && url.search === '';
  const [user, password] = isWhole ? [decoded(url.username), decoded(url.password)] : [];
  if (!isWhole || user === undefined || password === undefined || (user === '') !== (password === '')) {
    problems.add('SMTP_URL', 'must be an address such as smtps://user:password@mail.example.com');
    return undefined;
  }
  const implicitTls = url.protocol === 'smtps:';
  const port = url.port === '' ? (implicitTls ? SUBMISSIONS : SUBMISSION) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port, implicitTls, credentials: credentialsOf(user || undefined, password) };
}

function credentialsOf(user: string | undefined, password: string | undefined): Server['credentials'] {
  return user === undefined ? undefined : { user, password: password ?? '' };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Whether passwords and mail must not travel in clear: to every machine but this one. */
export function needsTls({ host, credentials }: Server): boolean {
  return credentials !== undefined && !isLoopback(host);
}
