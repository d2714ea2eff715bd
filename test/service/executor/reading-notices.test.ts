import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { ASKERS, type Asker } from '../../support/users/askers.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const OWN = 'Okapi notes about the harbour and the summer.txt';
const SHARED = 'Okapi minutes of everybody who was at the meeting.txt';
const newAsker = ASKERS.http as (typeof ASKERS)[string];

let steward: TestSteward;
let me: Person;
let own: string;

beforeAll(async () => {
  steward = await startSteward();
});
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
  ({ id: own } = await me.act('drive.create', { name: OWN, content: 'x' }));
});

/** The question about a mail, as the interface and its page show it to the user. */
async function question(asker: Asker, body = 'Lunch?'): Promise<{ shown: any; page: string }> {
  const { outcome, approvalId } = await asker.call('mail.send', { to: ['ana@partner.example'], subject: 'Hi', body });
  expect(outcome).toBe('approval_required');
  const { body: shown } = await steward.call(`/approvals/${approvalId}`, { token: me.token });
  return { shown, page: (await (await sessionOf(steward, me.token)).visit(`/approvals/${approvalId}`)).text };
}

/** The sentences on what was read. */
const told = (notices: string[]) => notices.filter((notice) => notice.startsWith('Before this'));

it('a question names others only if there are any', async () => {
  const search = async (query: string) => (await me.act('mail.search', { query })).items as { from: string }[];
  const bySender = Object.groupBy(await search('in:inbox'), ({ from }) => from);
  const [sender = ''] = Object.entries(bySender).find(([, mails = []]) => mails.length > 1) ?? [];
  const noticeAfter = async (query: string) => {
    const asker = await newAsker(steward, me.token);
    await asker.call('mail.search', { query });
    return told((await question(asker)).shown.notices);
  };
  const address = /<(.+)>/.exec(sender)?.[1] ?? sender;
  expect(await noticeAfter(`from:${address}`)).toEqual([expect.stringMatching(/^Before this, text by “[^“”]+” was read\./)]);
  expect(await noticeAfter('in:inbox')).toEqual([
    expect.stringMatching(/^Before this, text by “[^“”]+”, “[^“”]+”, “[^“”]+” and others was read\./),
  ]);
});

it('a question says how many of the sources that were read it lists', async () => {
  const asker = await newAsker(steward, me.token);
  const { items } = await me.act('mail.search', { query: 'in:inbox', max: 12 });
  await asker.call('mail.search', { query: 'in:inbox', max: 12 });
  const { shown: few } = await question(asker);
  expect(few.notices.join()).not.toContain('are listed');
  for (const { id } of items) await asker.call('mail.read', { message: id });
  const { shown, page } = await question(asker, 'Dinner?');
  expect(shown.provenance).toHaveLength(20);
  expect(shown.notices).toContainEqual(expect.stringMatching(/^20 of 2\d sources that were read before are listed, the newest\.$/));
  expect(page).toMatch(/20 of \d+ sources that were read before are listed/);
});

describe.each(Object.entries(ASKERS))('a question of a caller over %s', (_surface, start) => {
  it('says nothing of what was read if nothing was', async () => {
    const { shown, page } = await question(await start(steward, me.token));
    expect(told(shown.notices)).toEqual([]);
    expect(page).not.toMatch(/Before this|Read before this/);
  });

  it('doesn’t claim that others’ text was read if it turned out to be the user’s own', async () => {
    const asker = await start(steward, me.token);
    for (const [action, input] of [
      ['drive.info', { id: own }],
      ['drive.search', { query: 'harbour' }],
    ] as const) {
      expect(await asker.call(action, input)).toMatchObject({ outcome: 'done' });
    }
    const { shown, page } = await question(asker, `As in these:\n${OWN}`);
    expect(told(shown.notices)).toEqual([]);
    expect(shown).toMatchObject({ provenance: [], matches: [] });
    expect(page).not.toMatch(/Before this|text by|may have caused|Read before this|wrote:/);
  });

  it('names what others may have written, and not the user’s own beside it', async () => {
    const { id } = await me.act('drive.create', { name: SHARED, content: 'x' });
    await me.google('POST', `/drive/v3/files/${id}/permissions`, { type: 'user', role: 'writer', emailAddress: 'zoe@example.org' });
    const asker = await start(steward, me.token);
    await asker.call('drive.search', { query: 'okapi' });
    const { shown, page } = await question(asker, `As in these:\n${OWN}\n${SHARED}`);
    // The file is the user's: those who see it may have named it, whoever they are.
    expect(told(shown.notices)).toEqual(['Before this, text by others was read. It may have caused this request.']);
    expect(shown.provenance).toEqual([expect.not.objectContaining({ author: expect.anything() })]);
    expect(shown.provenance).toMatchObject([{ action: 'drive.search', name: SHARED }]);
    expect(shown.matches.map(({ name }: { name: string }) => name)).toEqual([SHARED]);
    const [, listed = ''] = page.split('Read before this, written by others');
    expect(listed.split('</ul>')[0]).toContain(SHARED);
    expect(listed.split('</ul>')[0]).not.toContain('Okapi notes');
  });
});
