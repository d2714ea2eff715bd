import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { callsTools, says, saysSlowly } from '../../support/emulators/scripted-model.ts';
import { ChatScene, type FrontEnd, textOf } from '../../support/scenes/chat-scene.ts';
import type { Replicas } from '../../support/scenes/mcp-scene.ts';
import { eventually } from '../../support/time/eventually.ts';

const FIRST = 'Once '.repeat(1_000);
let chat: ChatScene;
let replicas: Replicas;

beforeAll(async () => {
  ({ chat, replicas } = await ChatScene.replicated());
  chat.reset();
});
afterAll(() => chat.stop());

/** The statements of the first replica wait. @returns lets them go on */
function freeze(): () => void {
  const { db } = chat.steward.context;
  const { promise, resolve } = Promise.withResolvers<void>();
  const [query, transaction] = [db.query.bind(db), db.transaction.bind(db)];
  db.query = (...of) => promise.then(() => query(...of)) as never;
  db.transaction = (...of) => promise.then(() => transaction(...of)) as never;
  return () => {
    Object.assign(db, { query, transaction });
    resolve();
  };
}

/** As if the user's run had not been renewed for longer than its lease. Again, if a renewal arrived that had been sent before. */
async function interrupted(elsewhere: FrontEnd): Promise<void> {
  const expire = `update runs set lease_until = now() - interval '1 second' where user_id = $1 and status = 'running'`;
  await eventually(async () => {
    await replicas.other.sql(expire, [elsewhere.user.userId]);
    return (await elsewhere.stored()).run?.status === 'interrupted';
  });
}

describe('a replica whose database was frozen', () => {
  it('writes nothing, and changes nothing, after another one has told that its run was interrupted', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    chat.model.script(saysSlowly(FIRST, promise, 'upon a time.'));
    const frontEnd = await chat.frontEnd();
    const answer = frontEnd.say('Tell me').catch(() => undefined);
    const hasSaid = async () =>
      (
        await replicas.other.sql('select 1 from run_chunks where user_id = $1 and length(chunks) > $2', [
          frontEnd.user.userId,
          FIRST.length,
        ])
      ).length > 0;
    await eventually(hasSaid);
    const goOn = freeze();
    onTestFinished(goOn);
    const elsewhere = frontEnd.beside(replicas.other);
    await interrupted(elsewhere);
    const { messages } = await elsewhere.stored();
    expect(textOf(messages.at(-1) as never)).toBe(FIRST);
    // The model goes on, and would change something.
    chat.model.always = callsTools([{ name: 'test_send', input: { to: ['bob@example.com'] } }]);
    resolve();
    goOn();
    await answer;
    expect(chat.scene.sent).toBe(0);
    chat.model.always = says('Next.');
    elsewhere.messages = messages;
    expect(textOf((await elsewhere.say('Go on')).message)).toBe('Next.');
    expect((await elsewhere.stored()).messages).toEqual(elsewhere.messages);
    expect((await elsewhere.stored()).messages.slice(0, messages.length)).toEqual(messages);
  });

  it('makes no call that its model wrote meanwhile', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    chat.model.script(async (response, call) => {
      await promise;
      callsTools([{ name: 'test_send', input: { to: ['bob@example.com'] } }])(response, call);
    });
    const frontEnd = await chat.frontEnd();
    const answer = frontEnd.say('Write').catch(() => undefined);
    await eventually(() => chat.model.requests.at(-1)?.messages.at(-1)?.content === 'Write');
    const goOn = freeze();
    onTestFinished(goOn);
    resolve();
    const elsewhere = frontEnd.beside(replicas.other);
    await interrupted(elsewhere);
    goOn();
    await answer;
    expect(chat.scene.sent).toBe(0);
  });
});
