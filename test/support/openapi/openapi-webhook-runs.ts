import { deliver, eventBody, WebhookSigner } from '../emulators/bank-webhooks.ts';
import type { HttpResponse } from '../users/request.ts';
import type { Run } from './openapi-runs.ts';
import { linkedBank, steward, whileCut, whileMissing } from './openapi-scene.ts';

/** The responses to the aggregator's webhook. */
export function webhookRuns(): Run[] {
  const run = (response: string, provoke: () => Promise<HttpResponse>): Run => ({
    endpoint: 'POST /webhooks/bank',
    response,
    provoke,
  });
  const send = async (body: string, headers: Record<string, string> = {}) =>
    deliver(steward, body, await WebhookSigner.ofSandbox(steward).sign(body), headers);
  const event = async () => eventBody('ERROR', (await linkedBank()).itemId);
  return [
    run('200', async () => send(await event())),
    run('400 invalid_request', () => send('[]')),
    run('401 invalid_token', () => deliver(steward, '{}')),
    run('413 too_large', () => send(`"${'x'.repeat(300_000)}"`)),
    run('415 unsupported_media_type', () => send('{}', { 'content-type': 'text/plain' })),
    run('500 internal', async () => {
      const body = await event();
      return whileMissing('bank_webhooks', () => send(body));
    }),
    run('503 unavailable', async () => {
      const body = await event();
      return whileCut(() => send(body));
    }),
  ];
}
