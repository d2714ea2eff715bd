import { randomBytes } from 'node:crypto';
import type { NewClientGrant } from '../../../src/executor/call/client-grants-repository.ts';
import type { ExecutorScene } from '../scenes/executor-scene.ts';
import type { ConnectedGrant } from './refreshing.ts';

/** A client of the user's that signed in under this name and may do everything. @returns its id */
export async function newClient(
  scene: ExecutorScene,
  { userId }: Pick<ConnectedGrant, 'userId'>,
  name: string,
  more: Partial<NewClientGrant> = {},
): Promise<string> {
  const { id } = await scene.steward.context.clientGrants.create({
    userId,
    kind: 'oauth',
    name,
    tokenHash: randomBytes(32),
    lastFour: null,
    oauthClientId: 'abc',
    redirectHost: 'localhost',
    actions: ['*'],
    access: 'write',
    accountIds: null,
    exceptAccountIds: [],
    days: 90,
    ...more,
  });
  return id;
}
