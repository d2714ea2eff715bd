import { type Endpoint, endpoint, SUCCEEDED, success } from '../http/endpoint.ts';
import type { BankWebhooks } from './bank-webhooks.ts';

const MAX_BYTES = 256 * 1024;
const PROOF = 'Plaid-Verification';

/** The aggregator sends its webhooks here. */
export function webhookEndpoint(webhooks: BankWebhooks): Endpoint {
  return endpoint({
    method: 'post',
    path: '/webhooks/bank',
    tag: 'Bank',
    summary: 'Events of the bank-data aggregator',
    description: `For the aggregator only. \`${PROOF}\` is a JWS (ES256) over the time and the SHA-256 of the body’s bytes. An event is stored before it is acknowledged; an event that has no effect here is acknowledged too.`,
    auth: 'none',
    signed: { limit: MAX_BYTES, header: PROOF },
    response: success,
    errors: ['invalid_token', 'not_configured'],
    async handle({ request }) {
      // The parser leaves out an empty body.
      const body: unknown = request.body;
      await webhooks.receive(request.headersDistinct[PROOF.toLowerCase()] ?? [], Buffer.isBuffer(body) ? body : Buffer.alloc(0));
      return SUCCEEDED;
    },
  });
}
