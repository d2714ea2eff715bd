import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { endpoint } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import { describeError, type Logger } from '../observability/logger.ts';
import { addressKey } from '../validation/email-address.ts';
import { emailAddress } from '../validation/validate.ts';

const form = z.strictObject({ email: emailAddress }).meta({ id: 'WaitlistForm' });
const response = z.object({ status: z.enum(['success', 'error']), message: z.string().optional() }).meta({ id: 'WaitlistResult' });
const FAILED = { status: 'error' as const, message: 'The address could not be saved. Please try again later.' };

/** POST /waitlist and its alias POST /email. */
export function waitlistRouter(db: Database, logger: Logger, middleware: EndpointMiddleware): EndpointRouter {
  const endpoints = ['/waitlist', '/email'].map((path) =>
    endpoint({
      method: 'post',
      path,
      summary: path === '/email' ? 'Alias of POST /waitlist' : 'Add an address to the waitlist',
      description: 'The response is the same for a new and for a known address. A failed insertion is a 200 with `status: "error"`.',
      auth: 'none',
      limit: 'waitlist',
      form,
      response,
      async handle({ form: { email } }) {
        try {
          const { upsertAddress } = await import('./waitlist-repository.ts');
          await upsertAddress(db, addressKey(email));
          return { json: { status: 'success' as const } };
        } catch (error) {
          logger.warn({ err: describeError(error) }, 'waitlist entry not saved');
          return { json: FAILED };
        }
      },
    }),
  );
  return endpointRouter('Waitlist', endpoints, middleware);
}
