import { unseal as unsealApproval } from '../executor/approval-preview.ts';
import { openResult } from '../executor/idempotency.ts';
import { type Endpoint, endpoint, SUCCEEDED, success } from '../http/endpoint.ts';
import { type EndpointMiddleware, type EndpointRouter, endpointRouter } from '../http/endpoint-router.ts';
import { AuditPages } from './audit-pages.ts';
import { auditEndpoint } from './audit-routes.ts';
import { type ExportDeps, UserExports } from './export-service.ts';
import { userExport } from './export-shape.ts';
import { eraseUser, type UsersDeps } from './users-service.ts';

/** The user's audit log, export and deletion. */
export function usersRouter(deps: UsersDeps & Omit<ExportDeps, 'audit' | 'unseal'>, middleware: EndpointMiddleware): EndpointRouter {
  const audit = new AuditPages(deps.db, deps.userKeys);
  const exports = new UserExports({ ...deps, audit, unseal: { approval: unsealApproval, answer: openResult } });
  return endpointRouter([auditEndpoint(audit), exportUser(exports), deleteUser(deps)], middleware);
}

function exportUser(exports: UserExports): Endpoint {
  return endpoint({
    method: 'get',
    path: '/user/export',
    tag: 'User',
    summary: 'Export of the user’s data',
    description:
      'All rows of the user at one point in time, as a file. Secrets are left out; `withheld` names them. `LIMIT_USER_EXPORTS_PER_MINUTE` limits it.',
    auth: 'id_token',
    response: userExport,
    errors: ['rate_limited'],
    async handle({ caller, response }) {
      const json = await exports.of(caller);
      response.attachment(`steward-export-${json.exported_at.slice(0, 10)}.json`);
      return { json };
    },
  });
}

function deleteUser(deps: UsersDeps): Endpoint {
  return endpoint({
    method: 'delete',
    path: '/user',
    tag: 'User',
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
