import { afterAll, beforeAll, expect, it } from 'vitest';
import { newMailUser, startMail } from '../../support/scenes/mail.ts';
import { newToken } from '../../support/scenes/mcp-scene.ts';
import type { TestSteward } from '../../support/steward.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const ANA = 'ana@example.com';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startMail({}, '{ approval: destructive }');
});
afterAll(() => steward.stop());

it('an allowance for drafts without files is for no draft with files', async () => {
  const user = await newMailUser(steward);
  const { token } = await newToken(steward, user);
  const call = async (action: string, input: object) =>
    (await steward.call(`/agents/${action}`, { token, body: JSON.stringify(input), headers: JSON_TYPE })).body;
  const sendDraft = async (more: object) => {
    const { data } = await call('mail.draft', { to: [ANA], subject: 'News', body: 'Hello.', ...more });
    return call('mail.draft_send', { id: data.id });
  };
  const { details } = await sendDraft({});
  const body = JSON.stringify({ approved: true, remember_for: 7 });
  const decided = await steward.call(`/approvals/${details.approvalId}`, { token: user.token, body, headers: JSON_TYPE });
  expect(decided.status).toBe(200);
  expect((await sendDraft({ body: 'Another text.' })).status).toBeUndefined();
  expect((await sendDraft({ attachments: [{ name: 'secrets.csv', text: 'iban,balance' }] })).code).toBe('approval_required');
});
