import { z } from 'zod';
import { loadOnce } from '../concurrency/load-once.ts';
import { type Endpoint, endpoint, SUCCEEDED, success } from '../http/endpoints/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoints/endpoint-router.ts';
import { auditPage, readAuditPage } from './audit-pages.ts';
import type { ExportDeps } from './export-service.ts';
import { userExport } from './export-shape.ts';
import { changePreferences, getPreferences } from './preferences-routes.ts';
import { eraseUser, type UsersDeps } from './users-service.ts';

const LIMIT = 'must be a number from 1 to 200';
const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
/** Cursors are shorter. */
const CURSOR_CHARACTERS = 500;

/** The user's preferences, audit log, export and deletion. */
export function usersRouter(deps: UsersDeps & ExportDeps, middleware: EndpointMiddleware): EndpointRouter {
  return endpointRouter(
    'User',
    [getPreferences(deps), changePreferences(deps), listAudit(deps), exportUser(deps), deleteUser(deps)],
    middleware,
  );
}

function listAudit(deps: ExportDeps): Endpoint {
  return endpoint({
    method: 'get',
    path: '/user/audit',
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
        .regex(/^[A-Za-z0-9_-]+$/, 'must be the `next_cursor` of a page')
        .optional()
        .describe('`next_cursor` of the previous page.'),
    }),
    response: auditPage,
    errors: ['invalid_request'],
    handle: async ({ caller, query }) => ({ json: await readAuditPage(deps, caller.userId, query.limit, query.cursor) }),
  });
}

function exportUser(deps: ExportDeps): Endpoint {
  const exports = loadOnce(async () => new (await import('./export-service.ts')).UserExports(deps));
  return endpoint({
    method: 'get',
    path: '/user/export',
    summary: 'Export of the user’s data',
    description:
      'All rows of the user at one point in time, as a file. Secrets are left out; `withheld` names them. `LIMIT_USER_EXPORTS_PER_MINUTE` limits it.',
    auth: 'id_token',
    isLarge: true,
    response: userExport,
    errors: ['rate_limited'],
    async handle({ caller, response }) {
      const json = await (await exports()).of(caller);
      response.attachment(`steward-export-${json.exported_at.slice(0, 10)}.json`);
      return { json };
    },
  });
}

function deleteUser(deps: UsersDeps): Endpoint {
  return endpoint({
    method: 'delete',
    path: '/user',
    summary: 'Delete the user',
    description:
      'Disconnects all accounts, deletes the user, the user’s key and the waitlist entry of the user’s address, and closes the user’s WebSockets. ID tokens issued before are rejected until they expire. Requires a sign-in within the last five minutes.',
    auth: 'id_token',
    response: success,
    errors: ['recent_login_required'],
    async handle({ caller }) {
      await eraseUser(deps, caller);
      return SUCCEEDED;
    },
  });
}
