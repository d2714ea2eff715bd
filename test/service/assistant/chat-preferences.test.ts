import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { says } from '../../support/emulators/scripted-model.ts';
import { ChatScene, type FrontEnd } from '../../support/scenes/chat-scene.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
let chat: ChatScene;

beforeAll(async () => {
  chat = await ChatScene.start();
});
beforeEach(() => chat.reset());
afterAll(() => chat.stop());

/** What the model is told of the user, after the rules. */
async function told(frontEnd: FrontEnd, preferences: object): Promise<string> {
  const options = { method: 'PATCH', token: frontEnd.user.token, headers: JSON_TYPE, body: JSON.stringify(preferences) };
  expect((await chat.steward.call('/user/preferences', options)).status).toBe(200);
  chat.model.script(says('Hello.'));
  await frontEnd.say('Hello');
  return String(chat.model.lastMessages.find(({ role }) => role === 'system')?.content)
    .split('\n\n')
    .at(-1) as string;
}

describe('the assistant', () => {
  it('is told the date and the time where the user is, and the user’s name', async () => {
    const frontEnd = await chat.frontEnd();
    expect(await told(frontEnd, { time_zone: 'Pacific/Kiritimati', name: 'Ana "the boss"' })).toMatch(
      /^It is \w{3}, \d+ \w+ \d{4}, \d\d:\d\d \(\d{4}-\d\d-\d\d\) in the user's time zone, Pacific\/Kiritimati\. The user's name is "Ana \\"the boss\\""\.$/,
    );
    const [east, west] = [dayIn(await told(frontEnd, {})), dayIn(await told(frontEnd, { time_zone: 'Pacific/Pago_Pago' }))];
    // Clocks there are 25 hours apart.
    expect((Date.parse(east) - Date.parse(west)) / 86_400_000).toBeGreaterThanOrEqual(1);
  });

  it('is told that the zone is not known, and no name, where the user has not said them', async () => {
    expect(await told(await chat.frontEnd(), {})).toMatch(/^It is .+ in UTC\. The user's time zone is not known\.$/);
  });
});

function dayIn(text: string): string {
  return /\((\d{4}-\d\d-\d\d)\)/.exec(text)?.[1] ?? '';
}
