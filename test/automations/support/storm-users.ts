import type { Random } from '../../faults/support/random.ts';
import { callAutomations } from '../../support/scenes/automations.ts';
import type { Service } from '../../support/steward.ts';
import { connectGrant } from '../../support/users/refreshing.ts';
import { StormBank } from './storm-bank.ts';
import { StormMailbox } from './storm-mailbox.ts';
import type { StormBanks, StormWorkspace } from './storm-provider.ts';

type Sql = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

/** The most that a user can choose. */
const BUDGET = { runs_per_hour: 60, runs_per_day: 500 };
/** Automations of a user that write, each once. */
export const WRITERS = 8;

export interface StormUser {
  userId: string;
  email: string;
  item: string;
  account: string;
  bankAccount: string;
  mailbox: StormMailbox;
  bank: StormBank;
  /** Ids of automations. */
  automations: { mail: string; calendar: string; drive: string; bank: string; prompt: string; writers: string[] };
}

interface Providers {
  workspace: StormWorkspace;
  banks: StormBanks;
  random: Random;
  now(): number;
}

/** A user whose automations wait for events of a mailbox and a bank. */
export async function addUser(service: Service, sql: Sql, { workspace, banks, random, now }: Providers, name: string): Promise<StormUser> {
  const token = await service.signIn(name);
  const { email, accountId: account, userId } = await connectGrant(service, workspace, sql, { token, email: `${name}@storm.example` });
  const mailbox = new StormMailbox(random, now);
  workspace.mailboxes.set(email, mailbox);
  const linked = await service.call('/auth/bank/set_access_token', { token, form: { public_token: `public-${name}` } });
  if (linked.status !== 200) throw new Error(`no bank: ${linked.text}`);
  const [row] = await sql<{ id: string; item: string }>(
    `select c.id, g.subject as item from connected_accounts c join grants g on g.user_id = c.user_id and g.id = c.grant_id
     where c.user_id = $1 and g.provider = 'bank' order by c.id limit 1`,
    [userId],
  );
  const { id: bankAccount = '', item = '' } = row ?? {};
  const bank = new StormBank(random, now);
  banks.banks.set(item, bank);
  const make = async (trigger: object, rest: object = { does: { type: 'notify' } }): Promise<string> => {
    const made = await callAutomations(service, token, 'POST', '', {
      name: 'Storm',
      trigger: { type: 'event', ...trigger },
      budget: BUDGET,
      ...rest,
    });
    if (made.status !== 201) throw new Error(`no automation: ${made.text}`);
    return made.body.id;
  };
  const writers: string[] = [];
  for (let number = 0; number < WRITERS; number += 1) {
    const subject = writerSubject(number);
    const input = { to: ['ana@example.com'], subject, body: 'Noted.' };
    const does = { type: 'action', action: 'mail.draft', account, input };
    const filter = { subject };
    writers.push(
      await make({ event: 'mail.received', account, filter }, { does, actions: ['mail.draft'], accounts: [account], when_asked: 'skip' }),
    );
  }
  const prompt = { does: { type: 'prompt', prompt: 'Say hello.' }, actions: ['mail.search'], accounts: [account], when_asked: 'skip' };
  const automations = {
    mail: await make({ event: 'mail.received', account }),
    calendar: await make({ event: 'calendar.changed', account }),
    drive: await make({ event: 'drive.changed', account }),
    bank: await make({ event: 'bank.transaction', account: bankAccount, filter: { direction: 'any' } }),
    prompt: await make({ event: 'mail.received', account, filter: { subject: 'question' } }, prompt),
    writers,
  };
  return { userId, email, item, account, bankAccount, mailbox, bank, automations };
}

/** No other has it as a part. */
export function writerSubject(number: number): string {
  return `write-${String(number).padStart(3, '0')}`;
}
