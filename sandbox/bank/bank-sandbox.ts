import { join } from 'node:path';
import type { BankSettings } from '../../src/config/config.ts';
import type { Controls } from '../controls.ts';
import type { EmulatorOptions } from '../emulator-options.ts';
import { openStore } from '../store.ts';
import { bankOperations, happen } from './bank-api.ts';
import { CREDENTIALS } from './bank-api-routes.ts';
import { bankControlRoutes } from './bank-control-routes.ts';
import { Items } from './bank-items.ts';
import { Links } from './bank-links.ts';
import { InjectedErrors } from './bank-sandbox-errors.ts';
import { bankSandboxRoutes } from './bank-sandbox-routes.ts';
import { type Item, seedBank } from './bank-state.ts';
import type { BookingDetails } from './bank-transactions.ts';
import { type Schedule, WebhookSender } from './bank-webhook-sender.ts';

export interface BankSandboxOptions extends EmulatorOptions {
  /** Runs retries of webhooks later. */
  schedule?: Schedule;
}

export type BankSandbox = ReturnType<typeof createBankSandbox>;

/** Opens the emulator of the bank aggregator (Plaid) with the data in `directory`. */
export function createBankSandbox(options: BankSandboxOptions) {
  const { publicUrl, selfUrl, controls, logger, allowedOrigins, schedule = later(controls) } = options;
  const publicOrigin = new URL(publicUrl).origin;
  const store = openStore(join(options.directory, 'bank.json'), () => seedBank(controls.now()));
  const items = new Items(store, controls);
  const serviceWebhook = `${selfUrl}/webhooks/bank`;
  items.moveWebhooks(serviceWebhook);
  const links = new Links({ store, items, controls, publicOrigin });
  const webhooks = new WebhookSender({ key: store.state.webhookKey, controls, logger, schedule });
  const parts = { items, links, webhooks, controls };
  const injected = new InjectedErrors();
  const api = { operations: bankOperations(parts), injected, itemOf: (body: Record<string, unknown>) => items.idOf(body.access_token) };
  return {
    /** To be mounted at /sandbox/bank. */
    router: bankSandboxRoutes({ ...api, logger, links, publicOrigin, allowedOrigins, controls }),
    /** To be mounted at /sandbox/control/bank. */
    controlRouter: bankControlRoutes({ ...parts, injected, serviceWebhook }),
    /** Linked items whose login works, the newest last. */
    linked: () => items.all.filter(({ accessTokenHash, status }) => accessTokenHash !== null && status === 'good'),
    /** A purchase at an item's first account. */
    book: (item: Item, given: BookingDetails) => happen(parts, item, 'purchase', given),
    /** Posts all pending transactions of an item. */
    post: (item: Item) => happen(parts, item, 'posting'),
    settings: settings(publicUrl, selfUrl, serviceWebhook),
    /** Ends webhooks in progress and their retries. */
    close: () => webhooks.close(),
  };
}

function settings(publicUrl: string, selfUrl: string, webhookUrl: string): BankSettings {
  return {
    ...CREDENTIALS,
    baseUrl: `${selfUrl}/sandbox/bank`,
    countryCodes: ['US'],
    redirectUri: undefined,
    webhookUrl,
    linkPageUrl: `${publicUrl}/sandbox/bank/link`,
  };
}

/** A pending retry does not keep the process alive. */
function later({ clock }: Controls): Schedule {
  return (run, ms) => {
    const timer = clock.after(ms, run).unref();
    return () => timer.cancel();
  };
}
