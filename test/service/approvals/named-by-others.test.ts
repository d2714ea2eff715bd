import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Display } from '../../../src/executor/display/display.ts';
import { newPerson, type Person } from '../../support/emulators/workspace-content.ts';
import { askingAboutChanges } from '../../support/scenes/question-lines.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { ASKERS, type Asker } from '../../support/users/askers.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const newAsker = ASKERS.http as (typeof ASKERS)[string];
const ORDER = 'Supplier review';
const ORDERED = 'Clase de español';

let steward: TestSteward;
let me: Person;
let asker: Asker;

beforeAll(async () => {
  steward = await startSteward({}, { catalog: askingAboutChanges });
});
afterAll(() => steward.stop());
beforeEach(async () => {
  me = await newPerson(steward);
  asker = await newAsker(steward, me.token);
});

/** In which each event of a series is. */
function weeks(): { from: string; to: string } {
  const day = (days: number) => new Date(steward.clock.now() + days * 86_400_000).toISOString().slice(0, 10);
  return { from: day(-14), to: day(21) };
}

async function eventId(title: string): Promise<string> {
  const { items } = await me.act('calendar.list', { ...weeks(), query: title });
  return items.find((event: { title: string }) => event.title === title).id;
}

/** Reads something as the asker, until it is stored whose text it was. */
async function read(action: string, input: object): Promise<void> {
  const count = async () => Number((await steward.sql<{ count: number }>('select count(*)::int as count from context_reads'))[0]?.count);
  const before = await count();
  expect((await asker.call(action, input)).outcome).toBe('done');
  await eventually(async () => (await count()) > before);
}

async function ask(action: string, input: object): Promise<{ display: Display; page: string }> {
  const { outcome, approvalId } = await asker.call(action, input);
  expect(outcome).toBe('approval_required');
  const { body } = await steward.call(`/approvals/${approvalId}`, { token: me.token });
  return { display: body.display, page: (await (await sessionOf(steward, me.token)).visit(`/approvals/${approvalId}`)).text };
}

describe('a change of what a text of others names', () => {
  it('needs care, with the text as evidence', async () => {
    const [order, ordered] = [await eventId(ORDER), await eventId(ORDERED)];
    await read('calendar.get', { id: order });
    const { display, page } = await ask('calendar.delete', { id: ordered, notify: false });
    const line = `“${ORDERED}” is named in an event by “events@ledger-services.example”.`;
    expect(display).toMatchObject({ caution: true, risk: { text: line, level: 'warning' } });
    expect(display.evidence.matches).toMatchObject([{ field: 'thing', text: ORDERED, action: 'calendar.get', name: ORDER }]);
    expect(page).toContain(`<summary><bdi>${line}</bdi></summary>`);
    expect(page).toMatch(/<p><bdi>Its name<\/bdi>.*Supplier review/);
    expect(page).toMatch(/<button class="button primary" type="submit">Deny/);
  });

  it('needs none where the text says nothing of it', async () => {
    const ordered = await eventId(ORDERED);
    const { items } = await me.act('mail.search', { query: 'in:inbox', max: 1 });
    await read('mail.read', { message: items[0].id });
    expect((await ask('calendar.delete', { id: ordered, notify: false })).display).toMatchObject({ caution: false });
  });

  it('needs none where only its own text was read', async () => {
    const { items } = await me.act('mail.search', { query: 'in:inbox', max: 5 });
    const mail = items.find(({ subject }: { subject: string }) => subject.length > 15);
    await read('mail.read', { message: mail.id });
    const { display } = await ask('mail.trash', { ids: [mail.id] });
    expect(display.fields[0]).toMatchObject({ files: [{ name: mail.subject }] });
    expect(display).toMatchObject({ caution: false, risk: { level: 'notice' }, evidence: { matches: [] } });
  });

  it('needs none where it was only read that there are such things', async () => {
    const ordered = await eventId(ORDERED);
    await read('calendar.list', { ...weeks(), query: ORDERED });
    const { display } = await ask('calendar.delete', { id: ordered, notify: false });
    expect(display.evidence.matches).toEqual([]);
  });
});
