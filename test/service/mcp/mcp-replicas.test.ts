import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres } from '../../support/database/postgres.ts';
import { connectClient, type Replicas, startReplicas } from '../../support/scenes/mcp-scene.ts';
import { eventually } from '../../support/time/eventually.ts';
import { McpClient } from '../../support/users/mcp-client.ts';

const AGENTS = (actions: string) => `version: 1
agents:
  mail:
    provider: workspace
    description: Mail.
    scopes: [mail.modify]
    actions:
${actions}`;
const LABELS = '      labels: { use: mail.labels }\n';

describe.skipIf(!hasPostgres)('clients at two replicas', () => {
  let replicas: Replicas;
  const folder = mkdtempSync(join(tmpdir(), 'steward-mcp-'));
  const file = join(folder, 'integrations.yaml');

  beforeAll(async () => {
    writeFileSync(file, AGENTS(LABELS));
    replicas = await startReplicas({ INTEGRATIONS_FILE: file });
  });
  afterAll(async () => {
    await replicas?.stop();
    rmSync(folder, { recursive: true });
  });

  it('learn of a reload at whichever they listen, and find the new tools', async () => {
    const { scene, other } = replicas;
    const { client, token } = await connectClient(scene);
    const clients = [client, new McpClient(other, token)];
    const names = async (one: McpClient) => (await one.request('tools/list')).message.result.tools.map(({ name }: any) => name);
    for (const one of clients) expect(await names(one)).not.toContain('mail_search');
    const leaving = new AbortController();
    const streams = await Promise.all(clients.map((one) => one.listen({ toolsListChanged: true }, leaving.signal)));
    // Its first poll is what later ones are compared with.
    await other.tick();
    writeFileSync(file, AGENTS(`${LABELS}      search: { use: mail.search }\n`));
    expect((await scene.steward.updateIntegrations()).status).toBe(200);
    await other.tick();
    for (const { received } of streams) {
      await eventually(() => received.some(({ method }) => method === 'notifications/tools/list_changed'));
    }
    for (const one of clients) expect(await names(one)).toContain('mail_search');
    leaving.abort();
    await Promise.all(streams.map(({ ended }) => ended));
  });

  it('each request may reach another replica, in each revision', async () => {
    const { scene, other } = replicas;
    const { client, token } = await connectClient(scene);
    const elsewhere = new McpClient(other, token);
    scene.reading(200, { emailAddress: 'someone@example.com' });
    const clientInfo = { name: 'x', version: '1' };
    const begun = await client.earlier('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    expect(begun.headers.get('mcp-session-id')).toBeNull();
    expect((await elsewhere.earlier('tools/call', { name: 'test_read', arguments: {} })).message.result.isError).toBeUndefined();
    expect((await client.request('server/discover')).status).toBe(200);
    expect((await elsewhere.call('test_read')).message.result.isError).toBeUndefined();
  });

  it('lose their access at both with the next request', async () => {
    const { scene, other } = replicas;
    const { client, token, id, user } = await connectClient(scene);
    const elsewhere = new McpClient(other, token);
    expect((await elsewhere.request('tools/list')).status).toBe(200);
    await scene.steward.context.clientGrants.revoke(user.userId, id);
    for (const one of [client, elsewhere]) expect((await one.request('tools/list')).status).toBe(401);
  });

  it('see their streams end when the replica stops', async () => {
    const { scene } = replicas;
    const { client } = await connectClient(scene);
    const { ended } = await client.listen({ toolsListChanged: true }, new AbortController().signal);
    await scene.steward.context.mcp.close();
    await ended;
    const late = await client.request('tools/list');
    expect(late.status).toBe(503);
    expect(late.headers.get('retry-after')).toBe('5');
  });
});
