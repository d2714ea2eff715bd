import { loadOnce } from '../concurrency/load-once.ts';
import type { Config, MailSettings } from '../config/config.ts';
import { Outbound } from '../outbound/checked-fetch.ts';
import { NO_INTERNAL_HOSTS } from '../outbound/public-addresses.ts';
import type { ServiceSecrets } from '../vault/keys/service-secrets.ts';
import type { SubjectHasher } from '../vault/keys/subject-hasher.ts';
import { Channels } from './channels/channels.ts';
import { TestSender } from './channels/test-sender.ts';
import { Deliverer, type DelivererDeps } from './delivery/deliverer.ts';
import type { MailSender } from './senders/mail-sender.ts';
import { pushKeys } from './senders/push-keys.ts';
import type { PushSender } from './senders/push-sender.ts';
import type { Senders } from './senders/sender.ts';
import type { WebhookSender } from './senders/webhook-sender.ts';

export interface OpenNotificationsOptions extends Omit<DelivererDeps, 'senders'> {
  config: Pick<Config, 'environment' | 'console' | 'internalHosts' | 'mail'>;
  names: SubjectHasher;
  serviceSecrets: ServiceSecrets;
  /** The mail server that the sandbox plays, if it plays one. */
  sandbox: { smtp?(): Promise<MailSettings> } | undefined;
}

/** What channels need, with the code of it. The library of each type is loaded with the first message. */
export async function openNotifications(options: OpenNotificationsOptions) {
  const { config, db, clock, telemetry, publicUrl, serviceSecrets, settingsPath } = options;
  // Users choose these hosts: in production, what the operator has listed is not for them.
  const internal = config.environment === 'development' ? config.internalHosts : NO_INTERNAL_HOSTS;
  const outbound = new Outbound({ clock, internal });
  const settings = config.mail === 'sandbox' ? await options.sandbox?.smtp?.() : config.mail;
  const keys = loadOnce(() => pushKeys(db, serviceSecrets));
  const loadMail = loadOnce(async () => {
    const { MailSender } = await import('./senders/mail-sender.ts');
    if (settings === undefined) throw new Error('mail is not configured');
    return new MailSender({ settings, publicUrl, settingsPath });
  });
  const loadPush = loadOnce(async () => {
    const { PushSender } = await import('./senders/push-sender.ts');
    return new PushSender(outbound, keys, contactOf(publicUrl, settings?.from));
  });
  const loadWebhook = loadOnce(async () => {
    const { WebhookSender } = await import('./senders/webhook-sender.ts');
    return new WebhookSender(outbound, clock);
  });
  const mail: Pick<MailSender, 'send' | 'write'> | undefined = settings && {
    send: async (...message) => (await loadMail()).send(...message),
    write: async (...message) => (await loadMail()).write(...message),
  };
  const push: Pick<PushSender, 'send'> = { send: async (...message) => (await loadPush()).send(...message) };
  const webhook: Pick<WebhookSender, 'send'> = { send: async (...event) => (await loadWebhook()).send(...event) };
  const senders: Senders = { mail, push, webhook };
  const shared = { ...options, senders };
  const tests = new TestSender(senders, clock, telemetry, publicUrl + settingsPath);
  return {
    channels: new Channels({ ...shared, outbound, mail, tests }),
    deliverer: new Deliverer(shared),
    pushKey: async () => (await keys()).publicKey,
  };
}

/** RFC 8292, 2.1: a mail address, or an https address. */
function contactOf(publicUrl: string, from: string | undefined): string {
  if (from !== undefined) return `mailto:${from}`;
  return publicUrl.startsWith('https:') ? publicUrl : 'mailto:nobody@localhost.invalid';
}
