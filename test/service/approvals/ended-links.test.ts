import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FormBrowser } from '../../support/browser/browser.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { respond } from '../../support/servers/scripted-server.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const ACTION = 'test.notify';
const SEND = '/api/gmail/v1/users/me/messages/send';

let scene: ExecutorScene;
let user: ConnectedGrant;
let browser: FormBrowser;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  scene.policies.set(ACTION, { approval: 'destructive' });
  user = await scene.connect();
  browser = await sessionOf(scene.steward, user.token);
});

/** What its reader sees of a page, with the details folded. */
const read = (html: string) =>
  html
    .replace(/<details.*?<\/details>/gs, '')
    .replace(/<\/?bdi>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');

describe('the link of a question that was approved', () => {
  it.each([
    ['done', 200, 'It was done.', 'ok'],
    ['rejected by the provider', 400, 'It failed, and nothing was done: its details were not valid.', 'invalid_request'],
    ['sent without an answer', 500, 'It may have been done, or a part of it: look before you try again.', 'outcome_unknown'],
  ])('says what is true where the call was %s', async (_what, status, words, code) => {
    const { approvalId } = await scene.ask(user, ACTION, { to: ['ana@example.com'] });
    scene.sending(status);
    await scene.decide(user, approvalId).catch(() => {});
    expect((await scene.audit(user)).at(-1)).toMatchObject({ outcome: code });
    const page = await browser.visit(`/approvals/${approvalId}`);
    expect(page.status).toBe(200);
    expect(read(page.text)).toContain(words);
    expect(read(page.text)).not.toMatch(/_|test\.notify/);
    expect(page.text).toContain(`<code>${ACTION}</code>`);
    expect(page.text.includes(`<code>${code}</code>`)).toBe(code !== 'ok');
    expect(read((await browser.visit('/approvals')).text)).toContain(words);
  });

  it('says that the call is running, and where it was cut off, that it may have been done', async () => {
    const { approvalId } = await scene.ask(user, ACTION, { to: ['ana@example.com'] });
    const arrived = Promise.withResolvers<ServerResponse>();
    scene.provider.on(SEND, (response) => arrived.resolve(response));
    const decided = scene.decide(user, approvalId);
    const response = await arrived.promise;
    expect(read((await browser.visit(`/approvals/${approvalId}`)).text)).toContain('It is running.');
    await scene.steward.sql(`update approvals set outcome_until = now() - interval '1 second' where id = $1`, [approvalId]);
    expect(read((await browser.visit(`/approvals/${approvalId}`)).text)).toContain('It may have been done, or a part of it');
    respond(response, { status: 200, body: { id: 'm1' } });
    await decided;
    expect(read((await browser.visit(`/approvals/${approvalId}`)).text)).toContain('It was done.');
  });
});

describe('the page after a decision', () => {
  it('says in words what has failed, and keeps the code for the details', async () => {
    const { approvalId } = await scene.ask(user, ACTION, { to: ['ana@example.com'] });
    scene.sending(500);
    const page = await browser.visit(`/approvals/${approvalId}`);
    const [, approve = ''] = page.text.split('<form').slice(1);
    const end = await browser.submit({ ...page, text: `<form${approve}` }, `/approvals/${approvalId}`, () => {}, {
      'sec-fetch-site': 'same-origin',
    });
    expect(read(end.text)).toContain('Not known The change was sent, but its outcome is not known. Check before you try again.');
    expect(read(end.text)).toContain(`Tell ana@example.com from someone@example.com. With ${user.email}.`);
    expect(read(end.text)).not.toContain('outcome_unknown');
    expect(end.text).toContain('<code>outcome_unknown</code>');
  });
});
