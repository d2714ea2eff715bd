import { randomBytes } from 'node:crypto';
import { createPostgresDatabase } from '../database/postgres.ts';
import type { TestSteward } from '../steward.ts';
import { McpClient } from '../users/mcp-client.ts';
import type { ConnectedGrant } from '../users/refreshing.ts';
import { ExecutorScene } from './executor-scene.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** A user's client of /mcp, by a personal access token. */
export interface ConnectedClient {
  user: ConnectedGrant;
  client: McpClient;
  token: string;
  /** Of the grant. */
  id: string;
}

/** Two replicas on one database. */
export interface Replicas {
  scene: ExecutorScene;
  other: TestSteward;
  stop(): Promise<void>;
}

export async function startReplicas(more: Record<string, string> = {}): Promise<Replicas> {
  const database = await createPostgresDatabase();
  const env = { DATABASE_URL: database.url, MASTER_KEYS: `k1:${randomBytes(32).toString('base64')}`, ...more };
  const scene = await ExecutorScene.start(env);
  const other = await scene.replica(env);
  const stop = async () => {
    await other.stop();
    await scene.stop();
    await database.drop();
  };
  return { scene, other, stop };
}

/** A new token of the user. @param more of the request */
export async function newToken(steward: TestSteward, user: { token: string }, more: object = {}): Promise<{ token: string; id: string }> {
  const body = JSON.stringify({ name: 'assistant', actions: ['*'], access: 'write', ...more });
  const response = await steward.call('/tokens', { token: user.token, body, headers: JSON_TYPE });
  if (response.status !== 200) throw new Error(response.text);
  return JSON.parse(response.text);
}

export async function connectClient(scene: ExecutorScene, more: object = {}): Promise<ConnectedClient> {
  const user = await scene.connect();
  const { token, id } = await newToken(scene.steward, user, more);
  return { user, token, id, client: new McpClient(scene.steward, token) };
}

/** The user's decision, at the service's own interface. */
export async function decide(scene: ExecutorScene, user: { token: string }, approvalId: string, approved: boolean): Promise<number> {
  const body = JSON.stringify({ approved });
  return (await scene.steward.call(`/approvals/${approvalId}`, { token: user.token, body, headers: JSON_TYPE })).status;
}
