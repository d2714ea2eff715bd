import { type Endpoint, endpoint, SUCCEEDED, success } from '../http/endpoint.ts';
import { auditRoutes } from './audit-routes.ts';
import { type ExportDeps, UserExports } from './export-service.ts';
import { userExport } from './export-shape.ts';
import { eraseUser, type UsersDeps } from './users-service.ts';

export function usersRoutes(deps: UsersDeps & ExportDeps): Endpoint[] {
  const exports = new UserExports(deps);
  return [
    ...auditRoutes(deps.audit),
    endpoint({
      method: 'get',
      path: '/user/export',
      tag: 'User',
      summary: 'Everything held about the user',
      description:
        'All tables with rows of the user as of one moment, as a file; secrets are left out and named as such. A few times a minute for each user.',
      auth: 'id_token',
      answer: userExport,
      errors: ['rate_limited'],
      async handle({ caller, response }) {
        const json = await exports.of(caller);
        response.attachment(`steward-export-${json.exported_at.slice(0, 10)}.json`);
        return { json };
      },
    }),
    endpoint({
      method: 'delete',
      path: '/user',
      tag: 'User',
      summary: 'Delete the user',
      description:
        'Disconnects everything, deletes the user, the user’s key and the waitlist entry of the user’s address, and closes the user’s sockets. Tokens issued before are refused until they expire. Needs a sign-in of the last five minutes.',
      auth: 'id_token',
      answer: success,
      errors: ['recent_login_required'],
      async handle({ caller }) {
        await eraseUser(deps, caller);
        return SUCCEEDED;
      },
    }),
  ];
}
