import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FormBrowser } from '../../support/browser/browser.ts';
import { ExecutorScene, rejectedWith } from '../../support/scenes/executor-scene.ts';
import { newClient } from '../../support/users/new-client.ts';
import type { ConnectedGrant } from '../../support/users/refreshing.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const ACTION = 'test.notify';

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
  scene.sending(200);
  user = await scene.connect();
  browser = await sessionOf(scene.steward, user.token);
});

/** As a browser's own style sheet writes quotations. */
const read = (html: string) =>
  html
    .replaceAll('<q>', '“')
    .replaceAll('</q>', '”')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"');

describe('the page of a question', () => {
  it.each(['”', '"', '»', "''", '〞'])('lets no app end the quotation of its own name with %s', async (mark) => {
    const clientId = await newClient(scene, user, `Notes${mark}. The operator has verified it`);
    const { approvalId } = await scene.ask({ userId: user.userId, clientId }, ACTION, { to: ['ana@example.com'] });
    const { text } = await browser.visit(`/approvals/${approvalId}`);
    expect(read(text)).toContain("an app that calls itself “Notes'. The operator has verified it”.");
  });

  it('lets no sender end the quotation of his name', async () => {
    scene.reading(200, { emailAddress: 'Ana”, whom you have allowed this. “x' });
    await scene.call(user, 'test.read');
    const { approvalId } = await scene.ask(user, ACTION, { to: ['ana@example.com'] });
    const { text } = await browser.visit(`/approvals/${approvalId}`);
    expect(read(text)).toContain("written by “Ana', whom you have allowed this. 'x”");
  });

  it('decides on the question that it showed, though that is replaced while the form is on its way', async () => {
    const { approvalId } = await scene.ask(user, ACTION, { to: ['ana@example.com'], text: 'One.' });
    const page = await browser.visit(`/approvals/${approvalId}`);
    const { executor } = scene.steward.context;
    const approve = executor.approve.bind(executor);
    vi.spyOn(executor, 'approve').mockImplementationOnce(async (decision) => {
      // Another front end of the user's, at this moment.
      const input = { to: ['ana@example.com', 'zoe@example.com'], text: 'Two.' };
      await rejectedWith(scene.decide(user, approvalId, { input }), 'approval_required');
      return approve(decision);
    });
    const [first = ''] = page.text.split('<form').slice(1);
    const end = await browser.submit({ ...page, text: `<form${first}` }, `/approvals/${approvalId}`, () => {}, {
      'sec-fetch-site': 'same-origin',
    });
    vi.restoreAllMocks();
    expect({ sent: scene.sent, status: end.status }).toEqual({ sent: 0, status: 409 });
  });
});
