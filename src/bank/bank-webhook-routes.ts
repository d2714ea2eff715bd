import { type Endpoint, endpoint, SUCCEEDED, success } from '../http/endpoint.ts';
import type { BankWebhooks } from './bank-webhooks.ts';

const MAX_BYTES = 256 * 1024;
const PROOF = 'Plaid-Verification';

/** Where the aggregator sends its events. */
export function bankWebhookRoutes(webhooks: BankWebhooks): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/webhooks/bank',
      tag: 'Bank',
      summary: 'Events of the bank-data aggregator',
      description: `For the aggregator only. \`${PROOF}\` is a JWS (ES256) over the time and the SHA-256 of the body’s bytes. An event is stored before it is acknowledged; one that means nothing here is acknowledged too.`,
      auth: 'none',
      signed: { limit: MAX_BYTES, header: PROOF },
      answer: success,
      errors: ['invalid_token', 'not_configured'],
      async handle({ request }) {
        // An empty body is left out by the parser.
        const body: unknown = request.body;
        await webhooks.receive(request.headersDistinct[PROOF.toLowerCase()] ?? [], Buffer.isBuffer(body) ? body : Buffer.alloc(0));
        return SUCCEEDED;
      },
    }),
  ];
}
