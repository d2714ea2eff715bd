import { randomUUID } from 'node:crypto';
import type { TestSteward } from '../support/steward.ts';
import type { World } from './world.ts';

/** A client of the user with a token, and therefore a context, of its own. */
export async function newClient({ steward, person }: Pick<World, 'steward' | 'person'>) {
  const { userId } = await steward.context.sessions.authenticate(person.token);
  const request = { name: randomUUID(), actions: ['*'], access: 'write', days: 1 } as const;
  const { token, grant } = await steward.context.clientTokens.create(userId, request);
  return {
    userId,
    call: (action: string, input: object) => postJson(steward, `/agents/${action}`, token, input),
    revoke: () => steward.context.clientTokens.revoke(userId, grant.id),
  };
}

export function postJson(steward: TestSteward, path: string, token: string, body: object) {
  return steward.call(path, { token, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
}
