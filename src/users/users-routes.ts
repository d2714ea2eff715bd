import { type Endpoint, endpoint, SUCCEEDED, success } from '../http/endpoint.ts';
import { eraseUser, type UsersParts } from './users-service.ts';

export function usersRoutes(parts: UsersParts): Endpoint[] {
  return [
    endpoint({
      method: 'delete',
      path: '/user',
      tag: 'User',
      summary: 'Delete the user',
      description:
        'Disconnects everything, deletes the user and the user’s key, and closes the user’s sockets. Tokens issued before are refused until they expire. Needs a sign-in of the last five minutes.',
      auth: 'id_token',
      answer: success,
      errors: ['recent_login_required'],
      async handle({ caller }) {
        await eraseUser(parts, caller);
        return SUCCEEDED;
      },
    }),
  ];
}
