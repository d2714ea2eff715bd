import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { ScriptedModel } from '../support/emulators/scripted-model.ts';
import { loadsIn, watchLoads } from '../support/processes/module-loads.ts';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { FrontEnd, textOf } from '../support/scenes/chat-scene.ts';
import { eventually } from '../support/time/eventually.ts';

let place: Place;
let child: TestProcess;

afterEach(async () => {
  await child.kill('SIGKILL');
  await place.remove();
});

it('the libraries of the assistant are loaded with the first chat only', async () => {
  const model = await ScriptedModel.start();
  place = await createPlace();
  const file = join(place.dataDir, 'loads');
  const libraries = () => loadsIn(file).filter((url) => /node_modules.(ai|@ai-sdk)./.test(url));
  child = await startProcess({ ...place.env, ...watchLoads(file), MODELS: model.models() });
  const token = await child.signIn('demo');
  for (const path of ['/models', '/threads', '/tools']) expect((await child.call(path, { token })).status, path).toBe(200);
  expect((await child.call('/threads/none', { token })).status).toBe(404);
  expect(libraries()).toEqual([]);
  const frontEnd = new FrontEnd(child, { token, email: '', accountId: '', userId: '', grantId: '' }, 'DefaultChatTransport');
  expect(textOf((await frontEnd.say('Hi')).message)).toBe('Done.');
  expect(libraries().join()).toContain('openai-compatible');
  expect(libraries().join()).not.toContain('anthropic');
  await model.stop();
});

it('a stop lets an answer go on for a while, and then interrupts it, which the thread tells', async () => {
  const model = await ScriptedModel.start();
  model.always = () => {};
  place = await createPlace();
  const env = { ...place.env, MODELS: model.models(), LIMIT_SOCKET_DRAIN_MS: '200' };
  child = await startProcess(env);
  const token = await child.signIn('demo');
  const frontEnd = new FrontEnd(child, { token, email: '', accountId: '', userId: '', grantId: '' }, 'WebSocketChatTransport');
  frontEnd.messages.push({ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] });
  await frontEnd.open();
  await eventually(() => model.calls.length > 0);
  expect((await child.kill('SIGTERM')).code).toBe(0);
  expect(await place.sql('select status from runs')).toEqual([{ status: 'interrupted' }]);
  expect(await place.sql(`select role from messages order by position`)).toEqual([{ role: 'user' }, { role: 'assistant' }]);
  await model.stop();
});
