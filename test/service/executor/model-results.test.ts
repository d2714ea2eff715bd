import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { ExecutorScene } from '../../support/scenes/executor-scene.ts';
import { type ConnectedClient, connectClient, decide } from '../../support/scenes/mcp-scene.ts';
import { newThread } from '../../support/users/new-thread.ts';

const MOST_BYTES = 20_000;
let scene: ExecutorScene;
let ana: ConnectedClient;

beforeAll(async () => {
  scene = await ExecutorScene.start();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  scene.reset();
  ana = await connectClient(scene);
});

/** The room that the action is told to have for its result. */
async function room(call: () => Promise<unknown>): Promise<number> {
  let capBytes = 0;
  scene.work = async (_input, context) => {
    ({ capBytes } = context);
    return {};
  };
  await call();
  return capBytes;
}

describe('an action’s room for its result', () => {
  it('is what a model takes, for a model', async () => {
    const thread = await newThread(scene.steward, ana.user.userId);
    expect(await room(() => ana.client.call('test_run'))).toBeLessThan(MOST_BYTES);
    expect(await room(() => scene.call(ana.user, 'test.run', {}, { thread }))).toBeLessThan(MOST_BYTES);
  });

  it('is its own limit for front ends, and never more than that', async () => {
    expect(await room(() => scene.call(ana.user, 'test.run'))).toBe(256 * 1024);
    scene.capBytes = 5_000;
    scene.revision = 'r2';
    expect(await room(() => ana.client.call('test_run'))).toBe(5_000);
  });

  it('is that of the caller that asked, when the user approves', async () => {
    scene.policies.set('test.run', { approval: 'always' });
    const { message } = await ana.client.call('test_run');
    const { approvalId } = message.result.structuredContent.error.details;
    expect(await room(() => decide(scene, ana.user, approvalId, true))).toBeLessThan(MOST_BYTES);
  });
});

describe('a result that a model receives', () => {
  it('is cut, and says how to go on, if its caller has no pages', async () => {
    scene.returned = { rows: Array.from({ length: 5_000 }, (_, index) => ({ index, text: '“é”'.repeat(20) })) };
    const { message } = await ana.client.call('test_return');
    const [{ text }] = message.result.content;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MOST_BYTES);
    expect(JSON.parse(text).meta).toMatchObject({ truncated: true, hint: expect.stringContaining('ask for less') });
    const { data } = await scene.call(ana.user, 'test.return');
    expect(JSON.stringify(data).length).toBeGreaterThan(5 * MOST_BYTES);
  });

  it('is cut where another surface has asked for it', async () => {
    scene.policies.set('test.return', { approval: 'always' });
    scene.returned = { text: 'x'.repeat(100_000) };
    const headers = { 'content-type': 'application/json' };
    const asked = await scene.steward.call('/agents/test.return', { token: ana.token, body: '{}', headers });
    const { approvalId } = asked.body.details;
    expect(await decide(scene, ana.user, approvalId, true)).toBe(200);
    const { body } = await scene.steward.call(`/approvals/${approvalId}/result`, { token: ana.token });
    expect(body.result.data.text).toHaveLength(100_000);
    const { message } = await ana.client.call('approval_result', { id: approvalId });
    expect(Buffer.byteLength(message.result.content[0].text)).toBeLessThanOrEqual(MOST_BYTES);
    expect(message.result.structuredContent.meta.truncated).toBe(true);
  });

  it('has no undo that would be cut', async () => {
    scene.change = async (_input, { undoneBy }) => {
      undoneBy({ action: 'test.run', input: { text: 'x'.repeat(50_000) }, summary: 'Put it back' });
      return { id: 'm1' };
    };
    const { message } = await ana.client.call('test_change', { to: ['a@example.com'] });
    expect(message.result.structuredContent).toMatchObject({ data: { id: 'm1' } });
    expect(message.result.structuredContent.meta).not.toHaveProperty('undo');
  });

  it('is short, if it is an error', async () => {
    scene.work = async () => {
      throw new AppError('invalid_request', 'No such tab.', {
        details: { tabs: Array.from({ length: 5_000 }, (_, index) => `tab ${index}`) },
      });
    };
    const { message } = await ana.client.call('test_run');
    expect(message.result.isError).toBe(true);
    expect(JSON.stringify(message.result).length).toBeLessThan(MOST_BYTES);
  });
});
