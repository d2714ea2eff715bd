import { z } from 'zod';
import { describeProvider } from '../shared/provider.ts';
import { consentMissingMessage, isConsentMissing } from './bank-errors.ts';
import type { BankProvider } from './bank-provider.ts';
import type { WebhookKeys } from './bank-webhook-keys.ts';

export interface BankClient {
  provider: BankProvider;
  webhookKeys: WebhookKeys;
}

const PRODUCTS = ['transactions', 'auth'] as const;

/** The bank aggregator, Plaid. */
export const bankDescriptor = describeProvider({
  name: 'bank',
  label: 'real aggregator',
  settings: (config) => config.bank,
  sandboxed: (sandbox) => sandbox.bank,
  async open(settings, { limits, clock, telemetry }): Promise<BankClient> {
    const { BankProvider } = await import('./bank-provider.ts');
    const { WebhookKeys } = await import('./bank-webhook-keys.ts');
    const provider = new BankProvider(settings, limits.providerTimeoutMs, clock, telemetry);
    return { provider, webhookKeys: new WebhookKeys((kid) => provider.webhookKey(kid), clock) };
  },
  session: ({ provider }, grant, signal) => provider.session(grant, signal),
  revoke: ({ provider }, token) => provider.remove(token),
  needs: {
    key: 'products',
    names: PRODUCTS,
    schema: z.enum(PRODUCTS),
    // Plaid reports missing consent to a product with the call that needs it.
    isGranted: () => true,
    missing: () => [],
    consentMissing: (error, label) => (isConsentMissing(error) ? consentMissingMessage(label) : undefined),
  },
  async calls() {
    const { findBankCall } = await import('./bank-calls.ts');
    return findBankCall;
  },
});
