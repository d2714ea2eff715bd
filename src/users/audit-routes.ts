import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { type AuditPages, auditPage } from './audit-pages.ts';

const LIMIT = 'must be a number from 1 to 200';
const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
/** Cursors are shorter. */
const CURSOR_CHARACTERS = 500;

/** GET /user/audit. */
export function auditEndpoint(audit: AuditPages): Endpoint {
  return endpoint({
    method: 'get',
    path: '/user/audit',
    tag: 'User',
    summary: 'Audit log of the user',
    description:
      'Every call of an action, allowed or rejected, newest first, without its content. Rows that are added meanwhile come before the first page. Rows are kept for 400 days.',
    auth: 'id_token',
    query: z.strictObject({
      limit: z
        .string()
        .regex(/^\d{1,3}$/, LIMIT)
        .transform(Number)
        .pipe(z.number().min(1, LIMIT).max(MAX_LIMIT, LIMIT))
        .default(DEFAULT_LIMIT)
        .describe('Number of rows on a page, 1 to 200; 50 by default.'),
      cursor: z
        .string()
        .max(CURSOR_CHARACTERS, `must have at most ${CURSOR_CHARACTERS} characters`)
        .regex(/^[A-Za-z0-9_-]+$/, 'is not one that this list gave')
        .optional()
        .describe('`next_cursor` of the previous page.'),
    }),
    response: auditPage,
    errors: ['invalid_request'],
    handle: async ({ caller, query }) => ({ json: await audit.page(caller.userId, query.limit, query.cursor) }),
  });
}
