import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { ownIntegrations } from '../../support/inputs/own-integrations.ts';
import { newToken } from '../../support/scenes/mcp-scene.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { McpClient } from '../../support/users/mcp-client.ts';

/** Actions under other names than the built-in ones. */
const FILE = `version: 1
defaults:
  policy: { approval: destructive, rate: 1000/min }
agents:
  office:
    provider: workspace
    description: Files and drafts.
    scopes: [drive, mail.modify, mail.send]
    actions:
      create: { use: drive.create }
      bin: { use: drive.trash, policy: { approval: always } }
      unbin: { use: drive.untrash }
      draft: { use: mail.draft }
      discard: { use: mail.draft_delete }
      open: { use: mail.read, policy: { approval: always } }
`;
const JSON_TYPE = { 'content-type': 'application/json' };

let steward: TestSteward;
let me: Person;
let client: McpClient;

beforeAll(async () => {
  steward = await startSteward({ INTEGRATIONS_FILE: ownIntegrations(FILE) });
  me = await newPerson(steward);
  client = new McpClient(steward, (await newToken(steward, me)).token);
});
afterAll(() => steward?.stop());

async function call(name: string, input: object): Promise<any> {
  return (await client.call(name, input)).message.result.structuredContent;
}

/** Calls, and approves. @returns the approval's id */
async function approved(name: string, input: object): Promise<string> {
  const { error } = await call(name, input);
  expect(error).toMatchObject({ code: 'approval_required' });
  const { approvalId } = error.details;
  const body = '{"approved":true}';
  expect((await steward.call(`/approvals/${approvalId}`, { token: me.token, body, headers: JSON_TYPE })).status).toBe(200);
  return approvalId;
}

describe('a change over MCP', () => {
  it('names the tool that reverts it, with the account, however the result is fetched', async () => {
    const { data } = await call('office_create', { name: 'notes.txt', content: 'x' });
    const id = await approved('office_bin', { id: data.id });
    const undo = { tool: 'office_unbin', arguments: { account: me.email, id: data.id } };
    expect((await call('office_bin', { id: data.id })).meta.undo).toMatchObject(undo);
    expect((await call('approval_result', { id })).meta.undo).toMatchObject(undo);
    expect(await call(undo.tool, undo.arguments)).toMatchObject({ data: { id: data.id }, meta: { account: me.email } });
  });

  it('gives its result to a repeated call, though what it is about is gone', async () => {
    const { data } = await call('office_draft', { to: ['ana@example.com'], subject: 'Hi', body: 'Hello.' });
    await approved('office_discard', { id: data.id });
    const again = await call('office_discard', { id: data.id });
    expect(again.error).toBeUndefined();
    expect(again.meta.account).toBe(me.email);
  });
});

describe('resources/read', () => {
  it('of a message that needs approval names the page', async () => {
    const { message } = await client.request('resources/read', { uri: 'steward://mail/message/abc' });
    const { code, data } = message.error;
    expect(code).toBe(-32602);
    expect(data).toMatchObject({ code: 'approval_required', url: `${steward.url}/approvals/${data.approvalId}` });
    expect(message.error.message).toContain(data.url);
  });
});
