import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BankEmulator } from '../../support/emulators/bank-emulator.ts';
import { sendJson } from '../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';

/** Logins of one bank with common accounts, or with similar ones. */
let emulator: BankEmulator;
let steward: TestSteward;
let users = 0;

interface Account {
  name: string;
  mask: string | null;
  persistent_account_id?: string | null;
  type?: string | null;
}

const CHECKING: Account = { name: 'Checking', mask: '0000', type: 'depository' };
const SAVING: Account = { name: 'Saving', mask: '1111', type: 'depository' };
const JOINT: Account = { name: 'Joint', mask: '7777', type: 'depository' };
const NAMELESS: Account = { name: 'Account', mask: null, type: 'depository' };

beforeAll(async () => {
  emulator = await new BankEmulator().start();
  steward = await startSteward({ ...emulator.env, LIMIT_REVOCATION_RETRY_SECONDS: '1' });
});

afterAll(async () => {
  await steward.stop();
  await emulator.stop();
});

afterEach(() => emulator.reset());

function newUser(): Promise<string> {
  users += 1;
  return steward.signIn(`again-${users}`);
}

/** Links a login of the emulated bank that has these accounts. */
async function link(token: string, accounts: Account[], institution: string | null = 'ins_1'): Promise<any> {
  const shown = accounts.map((account, index) => ({ account_id: `a${index}`, ...account }));
  emulator.on('/accounts/get', (response) => sendJson(response, 200, { accounts: shown, request_id: 'r' }));
  emulator.on('/item/get', (response) =>
    sendJson(response, 200, {
      item: { item_id: 'i', institution_id: institution, institution_name: 'Bank', error: null },
      request_id: 'r',
    }),
  );
  const linked = await steward.call('/auth/bank/set_access_token', { token, form: { public_token: 'public' } });
  expect(linked.status).toBe(200);
  return linked.body;
}

async function ids(token: string): Promise<string[]> {
  return (await steward.call('/auth/bank/accounts', { token })).body.accounts.map(({ id }: { id: string }) => id);
}

function removals(): number {
  return emulator.calls.filter(({ path }) => path === '/item/remove').length;
}

/** Links both, one after the other. */
async function both(first: Account[], second: Account[], institution?: string | null) {
  const token = await newUser();
  await link(token, first, institution);
  const [old] = await ids(token);
  return { token, old, linked: await link(token, second, institution), entries: await ids(token) };
}

describe('a login of a bank that is already linked', () => {
  it.each<[string, Account[], Account[]]>([
    ['a couple’s logins with a joint account', [CHECKING, JOINT], [SAVING, JOINT]],
    ['a login that lacks one of the old accounts', [CHECKING, SAVING], [CHECKING]],
    ['accounts without masks', [NAMELESS], [NAMELESS]],
    ['accounts with empty masks', [{ ...NAMELESS, mask: '' }], [{ ...NAMELESS, mask: '' }]],
    ['accounts whose masks hold nothing but marks', [{ ...NAMELESS, mask: '••••' }], [{ ...NAMELESS, mask: '••••' }]],
    ['an account that has a mask now', [NAMELESS], [{ ...NAMELESS, mask: '1234' }]],
    ['two accounts of one name and mask, of which one is there', [CHECKING, CHECKING], [CHECKING, SAVING]],
    ['one of two that needs a mask', [CHECKING, NAMELESS], [CHECKING, NAMELESS]],
    [
      'two with lasting ids, one of them the same',
      [
        { ...CHECKING, persistent_account_id: 'p1' },
        { ...SAVING, persistent_account_id: 'p2' },
      ],
      [
        { ...CHECKING, persistent_account_id: 'p1' },
        { ...SAVING, persistent_account_id: 'p3' },
      ],
    ],
  ])('is added beside %s, and both are reported', async (_name, first, second) => {
    const { linked, old, entries } = await both(first, second);
    expect(linked).toEqual({ success: true, also_linked: [old] });
    expect(entries).toHaveLength(2);
    expect(entries[0]).toBe(old);
    expect(await steward.sql('select id from revocations')).toEqual([]);
    expect(removals()).toBe(0);
    const said = steward.logs.map((line) => JSON.parse(line)).filter(({ kept }) => kept?.includes(old));
    expect(said).toMatchObject([{ level: 30, item: entries[1] }]);
  });

  it.each<[string, Account[], Account[]]>([
    ['other masks', [CHECKING], [{ ...CHECKING, mask: '9999' }]],
    ['other types', [CHECKING], [{ ...CHECKING, type: 'credit' }]],
    ['other lasting ids', [{ ...CHECKING, persistent_account_id: 'p1' }], [{ ...CHECKING, persistent_account_id: 'p2' }]],
    ['no accounts', [], []],
  ])('is added beside one with %s, without a report', async (_name, first, second) => {
    const { linked, entries } = await both(first, second);
    expect(linked).toEqual({ success: true });
    expect(entries).toHaveLength(2);
    expect(removals()).toBe(0);
  });

  it.each<[string, Account[], Account[]]>([
    ['the same accounts', [CHECKING, SAVING], [SAVING, CHECKING]],
    ['one account more', [CHECKING], [CHECKING, SAVING, NAMELESS]],
    ['two accounts of one name and mask', [CHECKING, CHECKING], [CHECKING, CHECKING]],
    [
      'renamed accounts with lasting ids and no masks',
      [{ ...NAMELESS, persistent_account_id: 'p1' }],
      [{ ...NAMELESS, name: 'New name', persistent_account_id: 'p1' }],
    ],
    [
      'lasting ids of which one is new',
      [CHECKING, { ...CHECKING, persistent_account_id: 'p1' }],
      [CHECKING, { ...CHECKING, persistent_account_id: 'p2' }, { ...CHECKING, persistent_account_id: 'p1' }],
    ],
    [
      'ids that the bank didn’t give before',
      [CHECKING, { ...CHECKING, persistent_account_id: 'p1' }],
      [{ ...CHECKING, persistent_account_id: 'p2' }, CHECKING],
    ],
    ['types that were not known before', [{ name: 'Checking', mask: '0000' }], [CHECKING]],
  ])('replaces the old one with %s', async (_name, first, second) => {
    const { linked, old, entries } = await both(first, second);
    expect(linked).toEqual({ success: true });
    expect(entries).toEqual([old]);
    await eventually(() => expect(removals()).toBe(1));
  });

  it('is added beside one of another or an unknown bank', async () => {
    const token = await newUser();
    await link(token, [CHECKING]);
    expect(await link(token, [CHECKING], 'ins_2')).toEqual({ success: true });
    expect(await link(token, [CHECKING], null)).toEqual({ success: true });
    expect(await link(token, [CHECKING], null)).toEqual({ success: true });
    expect(await ids(token)).toHaveLength(4);
  });

  it('replaces the same login, not a smaller one that it includes', async () => {
    const token = await newUser();
    await link(token, [CHECKING, JOINT]);
    await link(token, [JOINT]);
    const [large, small] = await ids(token);
    expect(await link(token, [CHECKING, JOINT])).toEqual({ success: true, also_linked: [small] });
    expect(await ids(token)).toEqual([large, small]);
  });
});
