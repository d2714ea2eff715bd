import { unseal as unsealApproval } from '../executor/approval-preview.ts';
import { openAnswer } from '../executor/idempotency.ts';
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
  const exports = new UserExports({ ...deps, audit, unseal: { approval: unsealApproval, answer: openAnswer } });
  return endpointRouter([auditEndpoint(audit), exportUser(exports), deleteUser(deps)], middleware);
}

function exportUser(exports: UserExports): Endpoint {
  return endpoint({
    method: 'get',
    path: '/user/export',
    tag: 'User',
    summary: 'Everything held about the user',
    description:
      'All tables with rows of the user as of one moment, as a file; secrets are left out and named as such. A few times a minute for each user.',
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
      'Disconnects everything, deletes the user, the user’s key and the waitlist entry of the user’s address, and closes the user’s sockets. Tokens issued before are refused until they expire. Needs a sign-in of the last five minutes.',
    auth: 'id_token',
    response: success,
    errors: ['recent_login_required'],
    async handle({ caller }) {
      await eraseUser(deps, caller);
      return SUCCEEDED;
    },
  });
}
