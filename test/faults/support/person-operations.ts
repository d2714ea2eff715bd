import { ask, leadsTo, type Reply } from './ask.ts';
import { type AccountClaim, Claims, type MailClaim } from './claims.ts';
import type { Person } from './person.ts';

/** `answered`: the response says that it was done. `refused`: it says that nothing was done. `unknown`: anything else. */
export type Outcome = 'answered' | 'refused' | 'unknown';

export type Operation = keyof ReturnType<typeof operationsOf>;

/** All operations of a user; each records the response in the claims. */
export function operationsOf(person: Person) {
  return {
    connect: (base: string) => connect(person, base),
    list: async (base: string) => outcomeOf(await person.call(base, '/auth/workspace/accounts')),
    search: (base: string) => callAction(person, base, 'mail.search', {}),
    draft: (base: string) => draft(person, base),
    send: (base: string) => send(person, base),
    disconnect: (base: string) => disconnect(person, base),
    makeDefault: (base: string) => makeDefault(person, base),
    link: (base: string) => link(person, base),
    unlink: (base: string) => unlink(person, base),
    waitlist: (base: string) => waitlist(person, base),
    webhook: (base: string) => webhook(person, base),
    erase: (base: string) => erase(person, base),
  };
}

function outcomeOf(reply: Reply | undefined): Outcome {
  if (reply === undefined || reply.status >= 500 || reply.status === 429) return 'unknown';
  return reply.status === 200 ? 'answered' : 'refused';
}

async function connect(person: Person, base: string): Promise<Outcome> {
  const { claims, world } = person;
  const email = `${person.newThing()}@example.com`;
  const prepared = await person.call(base, '/workspace_access_request', { form: { email } });
  if (prepared?.status !== 200) return 'unknown';
  const cookie = (prepared.headers['set-cookie'] ?? []).map((line) => line.split(';', 1)[0]).join('; ');
  const { pathname, search } = new URL(prepared.body.login_url);
  const login = await ask(base, pathname + search, { cookie });
  const consentUrl = login?.headers.location;
  if (consentUrl === undefined) return 'unknown';
  const query = world.workspace.approve(consentUrl, email);
  claims.accounts.set(email, { standing: 'unsure' });
  const { status, account_id: id = '' } = leadsTo(await ask(base, `/auth/workspace/callback?${query}`, { cookie }));
  if (status !== 'connected') return 'unknown';
  claims.accounts.set(email, { standing: 'connected', id });
  return 'answered';
}

async function disconnect(person: Person, base: string): Promise<Outcome> {
  const [email] = Claims.of(person.claims.accounts, 'connected');
  return end(person, base, person.claims.accounts, email, '/auth/workspace/accounts');
}

async function unlink(person: Person, base: string): Promise<Outcome> {
  const [institution] = Claims.of(person.claims.banks, 'connected');
  return end(person, base, person.claims.banks, institution, '/auth/bank/accounts');
}

async function end(
  person: Person,
  base: string,
  claims: Map<string, AccountClaim>,
  name: string | undefined,
  path: string,
): Promise<Outcome> {
  const claim = name === undefined ? undefined : claims.get(name);
  if (name === undefined || claim?.id === undefined) return 'refused';
  const { id } = claim;
  claims.set(name, { standing: 'unsure', id });
  if (person.claims.defaultId === id) person.claims.defaultId = undefined;
  const outcome = outcomeOf(await person.call(base, `${path}/${id}`, { method: 'DELETE' }));
  if (outcome === 'answered') claims.set(name, { standing: 'gone', id, endedBefore: person.world.workspace.families.length });
  // It existed: a response that it does not is a loss, which the final comparison finds.
  if (outcome === 'refused') claims.set(name, { standing: 'connected', id });
  return outcome;
}

async function makeDefault(person: Person, base: string): Promise<Outcome> {
  const email = Claims.of(person.claims.accounts, 'connected').at(-1) ?? '';
  const id = person.claims.accounts.get(email)?.id;
  if (id === undefined) return 'refused';
  person.claims.defaultId = undefined;
  const outcome = outcomeOf(await person.call(base, `/auth/workspace/accounts/${id}/default`, { method: 'POST' }));
  if (outcome === 'answered') person.claims.defaultId = id;
  return outcome;
}

async function link(person: Person, base: string): Promise<Outcome> {
  const institution = person.newThing();
  const form = { public_token: person.world.bank.publicToken(institution) };
  person.claims.banks.set(institution, { standing: 'unsure' });
  const outcome = outcomeOf(await person.call(base, '/auth/bank/set_access_token', { form }));
  // Its response has no id, but the next list has.
  if (outcome === 'answered') person.claims.banks.set(institution, { standing: 'connected' });
  const listed = outcome === 'answered' ? await person.call(base, '/auth/bank/accounts') : undefined;
  const id = listed?.body?.accounts?.find((entry: { bank_name: string }) => entry.bank_name === institution)?.id;
  if (id !== undefined) person.claims.banks.set(institution, { standing: 'connected', id });
  return outcome;
}

/** The aggregator sends an event of one of the user's banks. */
async function webhook({ claims, world }: Person, base: string): Promise<Outcome> {
  const institution = Claims.of(claims.banks, 'connected').find((name) => !claims.webhooks.has(name));
  if (institution === undefined) return 'refused';
  claims.webhooks.set(institution, false);
  const outcome = outcomeOf(await ask(base, '/webhooks/bank', { signed: await world.bank.webhook(institution) }));
  if (outcome === 'answered') claims.webhooks.set(institution, true);
  return outcome;
}

async function waitlist(person: Person, base: string): Promise<Outcome> {
  const email = `${person.newThing()}@waiting.example.com`;
  const reply = await ask(base, '/waitlist', { form: { email } });
  if (reply?.body?.status !== 'success') return 'unknown';
  person.claims.waitlist.add(email);
  return 'answered';
}

async function erase(person: Person, base: string): Promise<Outcome> {
  const { claims } = person;
  claims.deleted = 'unsure';
  const outcome = outcomeOf(await person.call(base, '/user', { method: 'DELETE' }));
  if (outcome === 'answered') claims.deleted = 'yes';
  if (outcome === 'refused') claims.deleted = 'no';
  const endedBefore = person.world.workspace.families.length;
  for (const each of [claims.accounts, claims.banks])
    for (const [name, claim] of each) {
      if (claims.deleted === 'yes') each.set(name, { standing: 'gone', endedBefore });
      else if (claims.deleted === 'unsure') each.set(name, { ...claim, standing: 'unsure' });
    }
  return outcome;
}

async function callAction(person: Person, base: string, action: string, input: object): Promise<Outcome> {
  const [account] = Claims.of(person.claims.accounts, 'connected');
  if (account === undefined) return 'refused';
  const response = await person.frame(base, { type: 'call', action, account, input });
  if (response?.type !== 'result') return 'unknown';
  person.claims.count(action);
  return 'answered';
}

async function draft(person: Person, base: string): Promise<Outcome> {
  const [account] = Claims.of(person.claims.accounts, 'connected');
  if (account === undefined) return 'refused';
  const subject = person.newThing();
  const call = { type: 'call', action: 'mail.draft', account, input: mailOf(subject), idempotencyKey: subject };
  return keepTrying(person, base, subject, 'mail.draft', call);
}

async function send(person: Person, base: string): Promise<Outcome> {
  const [account] = Claims.of(person.claims.accounts, 'connected');
  if (account === undefined) return 'refused';
  const subject = person.newThing();
  const asked = await person.frame(base, { type: 'call', action: 'mail.send', account, input: mailOf(subject) });
  const approvalId = asked?.error?.approvalId;
  if (approvalId === undefined) return 'unknown';
  return keepTrying(person, base, subject, 'mail.send', { type: 'approve', approvalId, approved: true });
}

/** Like a careful client: repeats the same request until there is a response, now and after the fault. */
async function keepTrying(person: Person, base: string, subject: string, action: string, frame: object): Promise<Outcome> {
  const claim: MailClaim = {
    answered: false,
    async repeat(at) {
      const response = await person.frame(at, frame);
      if (response?.type === 'result' && !claim.answered) {
        claim.answered = true;
        person.claims.count(action);
      }
      return response !== undefined;
    },
  };
  person.claims.mails.set(subject, claim);
  for (let tries = 1; tries <= 2 && !claim.answered; tries += 1) await claim.repeat(base);
  return claim.answered ? 'answered' : 'unknown';
}

function mailOf(subject: string) {
  return { to: ['someone@example.com'], subject, body: 'x' };
}
