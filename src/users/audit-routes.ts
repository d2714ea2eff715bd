import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { type AuditPages, auditPage } from './audit-pages.ts';

const LIMIT = 'must be a number from 1 to 200';
const MOST = 200;
const USUAL = 50;
/** Cursors are shorter. */
const CURSOR_CHARACTERS = 500;

/** GET /user/audit. */
export function auditEndpoint(audit: AuditPages): Endpoint {
  return endpoint({
    method: 'get',
    path: '/user/audit',
    tag: 'User',
    summary: 'What was done with the user’s accounts',
    description:
      'Each call of an action, allowed or refused, newest first; never what it was about. Rows added while one reads come before the first page. Kept for 400 days.',
    auth: 'id_token',
    query: z.strictObject({
      limit: z
        .string()
        .regex(/^\d{1,3}$/, LIMIT)
        .transform(Number)
        .pipe(z.number().min(1, LIMIT).max(MOST, LIMIT))
        .default(USUAL)
        .describe('Rows of a page.'),
      cursor: z
        .string()
        .max(CURSOR_CHARACTERS, `must have at most ${CURSOR_CHARACTERS} characters`)
        .regex(/^[A-Za-z0-9_-]+$/, 'is not one that this list gave')
        .optional()
        .describe('`next_cursor` of the page before.'),
    }),
    response: auditPage,
    errors: ['invalid_request'],
    handle: async ({ caller, query }) => ({ json: await audit.page(caller.userId, query.limit, query.cursor) }),
  });
}
