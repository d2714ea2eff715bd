import { eventually } from '../../support/time/eventually.ts';
import { type AccountClaim, Claims } from './claims.ts';
import type { Person } from './person.ts';
import type { Sql } from './world.ts';

/** What differs from the responses. */
export interface Findings {
  lost: string[];
  /** Lost in a documented way, with the reason. */
  documented: string[];
}

/** Why an account needs a new consent although the user revoked none; undefined = for no documented reason. */
export type Explain = (email: string) => string | undefined;

interface Listed {
  id: string;
  status: string;
  default?: boolean;
}

/** Limits for what never happens: times are not compared here. */
const RESPONSE_MS = 120_000;
/** An abandoned lease (30 s), pauses of up to a minute, then the provider. */
const CALL_MS = 180_000;

/** Compares every response to a user with the actual state, which settles what was unsure. */
export async function verify(person: Person, base: string, explain: Explain): Promise<Findings> {
  const findings: Findings = { lost: [], documented: [] };
  const { claims } = person;
  const accounts = await settledList(person, base, '/auth/workspace/accounts', 'email');
  const isThere = await isStored(person, accounts !== undefined);
  if (claims.deleted === 'yes' && isThere) findings.lost.push(`the deletion of ${person.name}`);
  if (claims.deleted === 'no' && !isThere) findings.lost.push(`the user ${person.name}`);
  if (!isThere) settleDeleted(person);
  if (!isThere) return findings;
  if (accounts === undefined) {
    findings.lost.push(`the use of the service by ${person.name}: the token is refused`);
    return findings;
  }
  claims.deleted = 'no';
  const consents = person.world.workspace.families.length;
  const banks = (await settledList(person, base, '/auth/bank/accounts', 'bank_name')) ?? new Map<string, Listed>();
  compare(claims.accounts, accounts, consents, findings, explain);
  compare(claims.banks, banks, consents, findings, () => undefined);
  compareDefault(claims, accounts, findings);
  await compareMails(person, base, findings);
  if (person.world.sql !== undefined) findings.lost.push(...(await compareRows(person, person.world.sql)));
  await callEach(person, base, findings, explain);
  return findings;
}

/** A replica may accept a deleted user's token for a minute, so only the database is checked. */
async function isStored({ world, name }: Person, isShown: boolean): Promise<boolean> {
  if (world.sql === undefined) return isShown;
  return (await world.sql('select 1 from users where subject = $1', [name])).length > 0;
}

/** @returns by name; undefined if the user's token is rejected, which after a deletion may take other replicas a minute */
async function settledList(person: Person, base: string, path: string, name: string): Promise<Map<string, Listed> | undefined> {
  const reply = await eventually(async () => {
    const found = await person.call(base, path);
    return found?.status === 200 || found?.status === 401 ? found : undefined;
  }, RESPONSE_MS);
  if (reply.status === 401) return undefined;
  return new Map(reply.body.accounts.map((entry: Record<string, any>) => [entry[name], entry]));
}

function settleDeleted(person: Person): void {
  const { claims, world } = person;
  claims.deleted = 'yes';
  for (const each of [claims.accounts, claims.banks])
    for (const [name, claim] of each)
      if (claim.endedBefore === undefined) each.set(name, { standing: 'gone', endedBefore: world.workspace.families.length });
}

/** @param consents their number so far: all of a removed account must end */
function compare(
  claims: Map<string, AccountClaim>,
  listed: Map<string, Listed>,
  consents: number,
  findings: Findings,
  explain: Explain,
): void {
  for (const [name, claim] of claims) {
    const found = listed.get(name);
    if (claim.standing === 'gone' && found !== undefined) findings.lost.push(`the disconnect of ${name}`);
    const isOther = claim.id !== undefined && found !== undefined && found.id !== claim.id;
    if (claim.standing === 'connected' && (found === undefined || isOther)) {
      findings.lost.push(`the connection of ${name}`);
      claims.delete(name);
    } else if (found !== undefined && found.status !== 'active') {
      const reason = explain(name);
      if (reason === undefined) findings.lost.push(`${name} became ${found.status}`);
      else findings.documented.push(`${name}: ${reason}`);
      // It needs a new consent; there is nothing else to compare.
      claims.delete(name);
    } else if (found !== undefined) claims.set(name, { standing: 'connected', id: found.id });
    else if (claim.standing === 'unsure') claims.set(name, { standing: 'gone', endedBefore: consents });
  }
  for (const name of listed.keys()) if (!claims.has(name) && explain(name) === undefined) findings.lost.push(`${name} came from nowhere`);
}

function compareDefault(claims: Claims, listed: Map<string, Listed>, findings: Findings): void {
  const defaults = [...listed.values()].filter((entry) => entry.default === true);
  if (listed.size > 0 && defaults.length !== 1) findings.lost.push(`${defaults.length} default accounts`);
  const isThere = [...listed.values()].some(({ id }) => id === claims.defaultId);
  if (isThere && defaults[0]?.id !== claims.defaultId) findings.lost.push('the choice of a default account');
}

async function compareMails(person: Person, base: string, findings: Findings): Promise<void> {
  for (const [subject, claim] of person.claims.mails) {
    if (!claim.answered) await eventually(() => claim.repeat(base), RESPONSE_MS).catch(() => {});
    const { answered } = claim;
    const times = person.world.workspace.kept.get(subject) ?? 0;
    if (times > 1) findings.lost.push(`the mail ${subject} went out ${times} times`);
    if (answered && times === 0) findings.lost.push(`the mail ${subject}`);
  }
}

/** Data without an endpoint: the waitlist and the audit log. */
export async function compareRows({ claims, name }: Person, sql: Sql): Promise<string[]> {
  const waiting = await sql<{ email: string }>('select email from waitlist where email = any($1)', [[...claims.waitlist]]);
  const lost = [...claims.waitlist]
    .filter((email) => !waiting.some((row) => row.email === email))
    .map((email) => `${email} on the waitlist`);
  if (claims.deleted === 'yes') return lost;
  const rows = await sql<{ action: string; count: number }>(
    `select action, count(*)::int as count from audit_log a join users u on u.id = a.user_id
     where u.subject = $1 and (decision = 'started' or (action = 'mail.search' and decision = 'allowed' and outcome = 'ok')) group by action`,
    [name],
  );
  for (const [action, answered] of claims.calls) {
    const written = rows.find((row) => row.action === action)?.count ?? 0;
    if (written < answered) lost.push(`${answered - written} of ${answered} audit rows of ${action} for ${name}`);
  }
  return lost;
}

/** Every account must work, once the leases of killed processes have expired. */
async function callEach(person: Person, base: string, findings: Findings, explain: Explain): Promise<void> {
  for (const account of Claims.of(person.claims.accounts, 'connected')) {
    let response: Record<string, any> | undefined;
    await eventually(async () => {
      response = await person.frame(base, { type: 'call', action: 'mail.search', account, input: {} });
      return response?.type === 'result' || response?.error?.code === 'reauth_required';
    }, CALL_MS).catch(() => {});
    if (response?.type === 'result') {
      person.claims.count('mail.search');
      continue;
    }
    const code = response?.error?.code ?? 'no answer';
    const reason = code === 'reauth_required' ? explain(account) : undefined;
    if (reason === undefined) findings.lost.push(`the use of ${account} (${code})`);
    else findings.documented.push(`${account}: ${reason}`);
    person.claims.accounts.delete(account);
  }
}
