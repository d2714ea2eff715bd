import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { selectStatus } from './status-repository.ts';

const provider = z.object({ connected: z.boolean(), needs_attention: z.number().int() });

/** Which providers the user is connected to. */
export function statusRoutes(db: Database): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/integrations',
      tag: 'User',
      summary: 'Which providers the user is connected to',
      description:
        '`connected`: any account, whatever its status. `needs_attention`: how many must be authorised again, or will have to be soon.',
      auth: 'id_token',
      answer: z.object({ workspace: provider, bank: provider }),
      errors: [],
      handle: async ({ caller }) => ({ json: await selectStatus(db, caller.userId) }),
    }),
  ];
}
