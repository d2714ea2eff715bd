import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mailApi, newMailUser } from '../../../support/scenes/mail.ts';
import { startSteward, type TestSteward } from '../../../support/steward.ts';

const EVIL = 'mallory@evil.example';
const ANA = 'ana@example.org';

let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());

/** What a question says of a person after a message with this field was sent from the account. */
async function relationAfter(field: string, address: string) {
  const user = await newMailUser(steward);
  const api = await mailApi(steward, user);
  const raw = Buffer.from(`${field}\r\nSubject: Hi\r\n\r\nHi.`).toString('base64url');
  expect((await api('messages/send', { raw })).status).toBe(200);
  const { details } = await user.refusal('mail.send', { to: [address], subject: 'x', body: 'x' });
  const { audience, notices } = details as any;
  return { relation: audience[0].relation, isNoticed: notices.includes(`You have not written to ${address} before.`) };
}

describe('whether the user has written to someone', () => {
  it.each([
    ['a recipient', `To: Ana <${ANA}>`],
    ['one of several, folded', `To: "Lee, Bo" <bo@example.org>,\r\n =?utf-8?q?Lima=2C_Ana?= <ANA@example.org>`],
    ['a copy', `To: bo@example.org\r\nCc: (x) ${ANA}`],
    ['a member of a group', `To: friends: bo@example.org, ${ANA};`],
  ])('is so for %s', async (_what, field) => {
    expect(await relationAfter(field, ANA)).toEqual({ relation: 'written_to', isNoticed: false });
  });

  it.each([
    ['a quoted name', `To: "${EVIL}" <${ANA}>`],
    ['a name with brackets', `To: "Mallory <${EVIL}>" <${ANA}>`],
    ['a name with a comma', `To: "x, ${EVIL}, y" <${ANA}>`],
    ['a bare name', `To: ${EVIL} <${ANA}>`],
    ['an encoded name', `To: =?utf-8?q?mallory=40evil.example?= <${ANA}>`],
    ['an encoded name with an encoded comma and brackets', `To: =?utf-8?q?=3Cmallory=40evil.example=3E=2C?= <${ANA}>`],
    ['a comment', `To: ${ANA} (${EVIL})`],
    ['a local part', `To: "${EVIL}"@example.org`],
    ['a domain literal', `To: ana@[${EVIL}], ${ANA}`],
    ['a name of a group', `To: ${EVIL}: ${ANA};`],
    ['a quotation that isn’t closed', `To: ${ANA}, "x <${EVIL}>`],
    ['the subject', `To: ${ANA}\r\nSubject: ${EVIL}`],
    ['the address to reply to', `To: ${ANA}\r\nReply-To: ${EVIL}`],
  ])('is not so for an address in %s', async (_what, field) => {
    expect(await relationAfter(field, EVIL)).toEqual({ relation: 'new', isNoticed: true });
  });
});
