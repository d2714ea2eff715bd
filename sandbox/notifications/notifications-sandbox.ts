import { join } from 'node:path';
import type { EmulatorOptions } from '../emulator-options.ts';
import { openStore } from '../store.ts';
import { MailCatcher } from './mail-catcher.ts';
import { PushService } from './push-service.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

export type NotificationsSandbox = ReturnType<typeof createNotificationsSandbox>;

/** Opens what receives notifications: a mail server, a push service with its browsers, and receivers of webhooks. */
export function createNotificationsSandbox({ directory, controls, publicUrl, selfUrl }: EmulatorOptions) {
  const store = openStore(join(directory, 'push.json'), () => ({ subscriptions: [] }));
  const mail = new MailCatcher(controls);
  return {
    mail,
    push: new PushService(store, controls, `${selfUrl}/sandbox/push`),
    webhooks: new WebhookReceiver(controls),
    controls,
    publicUrl,
    close: () => mail.close(),
  };
}
