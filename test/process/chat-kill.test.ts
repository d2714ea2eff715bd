import type { UIMessage } from 'ai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { callsTools, hangs, ScriptedModel, says, saysSlowly } from '../support/emulators/scripted-model.ts';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { FrontEnd, textOf, toolParts } from '../support/scenes/chat-scene.ts';
import { connect, newName } from '../support/scenes/flows.ts';
import { freePort } from '../support/servers/free-port.ts';
import { eventually } from '../support/time/eventually.ts';

const EVENT = { title: 'Killed in the middle', start: '2031-05-05' };

let model: ScriptedModel;
let place: Place;
let child: TestProcess;
let port: string;
let frontEnd: FrontEnd;

beforeAll(async () => {
  model = await ScriptedModel.start();
});
beforeEach(async () => {
  model.reset();
  place = await createPlace();
  port = String(await freePort());
  await start();
  const token = await child.signIn('demo');
  await connect(child, { token, email: 'demo@example.com' });
  frontEnd = new FrontEnd(child, { token, email: '', accountId: '', userId: '', grantId: '' }, 'WebSocketChatTransport');
});
afterEach(async () => {
  await child.kill('SIGKILL');
  await place.remove();
});
afterAll(() => model.stop());

async function start(): Promise<void> {
  child = await startProcess({ ...place.env, PORT: port, MODELS: model.models() });
}

/** The front end sends a message, and is cut off when the process is killed. */
function send(): void {
  frontEnd.messages.push({ id: newName(), role: 'user', parts: [{ type: 'text', text: 'Go' }] });
  void frontEnd.submit().catch(() => {});
}

/** Starts the process again on its data, as if the lease of the run had ended. */
async function afterKill(): Promise<UIMessage> {
  await child.kill('SIGKILL');
  await place.sql(`update runs set lease_until = now() - interval '1 second' where status = 'running'`);
  await start();
  const again = frontEnd.beside(child);
  const ended = await eventually(async () => {
    const { run, messages } = await again.stored();
    return run?.status === 'interrupted' && messages;
  });
  const answer = ended.at(-1) as UIMessage;
  expect(answer.metadata).toMatchObject({ status: 'interrupted' });
  return answer;
}

/** The change was begun once, and nothing of it reached the provider after the restart. */
async function expectMadeOnce(): Promise<void> {
  expect(await place.sql('select 1 from idempotency_keys')).toHaveLength(1);
  const { workspace } = (await child.control('state')).calls;
  expect(Object.keys(workspace).filter((path) => path.includes('/calendar'))).toEqual([]);
}

/** The user goes on: the model is asked once more, and no call is made by itself. */
async function expectNothingRepeated(): Promise<void> {
  const asked = model.calls.length;
  model.script(says('What next?'));
  const { message } = await frontEnd.beside(child).say('Go on');
  expect(textOf(message)).toBe('What next?');
  expect(model.calls.length).toBe(asked + 1);
}

describe('kill -9 of a process that answers', () => {
  it('while the model speaks: what it has said is kept', async () => {
    model.script(saysSlowly('Half of ', new Promise(() => {}), ''));
    send();
    // The first chunk comes before the model is asked.
    await eventually(async () => model.calls.length === 1 && (await place.sql('select 1 from run_chunks')).length > 0);
    expect(textOf(await afterKill())).toMatch(/^(Half of )?$/);
    await expectNothingRepeated();
  });

  it('while a change is being made: it is not made again, and the message says that it is not known', async () => {
    await child.control('faults', { part: 'workspace', path: '/api/calendar', kind: 'hang' });
    model.script(callsTools([{ name: 'calendar_create', input: EVENT }]));
    send();
    await eventually(async () => (await place.sql('select 1 from idempotency_keys')).length > 0);
    const answer = await afterKill();
    expect(toolParts(answer)).toMatchObject([
      { toolName: 'calendar_create', state: 'output-error', errorText: expect.stringContaining('not known') },
    ]);
    await expectNothingRepeated();
    await expectMadeOnce();
  });

  it('after a change: its result may be lost, and it is not made again', async () => {
    model.script(callsTools([{ name: 'calendar_create', input: EVENT }]), hangs());
    send();
    await eventually(() => model.calls.length === 2);
    const answer = await afterKill();
    expect(toolParts(answer)).toMatchObject([{ toolName: 'calendar_create' }]);
    expect(['output-available', 'output-error']).toContain(toolParts(answer)[0]?.state);
    await expectNothingRepeated();
    await expectMadeOnce();
  });
});
