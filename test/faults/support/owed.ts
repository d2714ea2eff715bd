import { type AccountClaim, Claims } from './claims.ts';
import type { Person } from './person.ts';
import { onceStored } from './stored.ts';
import type { Findings } from './verify.ts';
import { subjectOf } from './workspace-fault-emulator.ts';
import type { Sql } from './world.ts';

const NEVER_STORED = 'agreed to, and never stored';
const NEVER_ARRIVED = 'the answer with the rotated token never arrived, and then it was disconnected';

/** What responses promised and background work still has to do: ends at the providers, and events of banks. */
export async function stillOwed(people: readonly Person[]): Promise<string[]> {
  const owed: string[] = [];
  for (const person of people) owed.push(...(await owedTo(person)).lost);
  return owed;
}

/**
 * The same for one user. `documented` has what stays valid at a provider because its token is lost: no transaction of
 * the service has ever stored it, and either the provider's response did not arrive or the process was killed.
 */
export async function owedTo(person: Person): Promise<Findings> {
  const findings: Findings = { lost: await unheardWebhooks(person), documented: [] };
  const { sql } = person.world;
  if (sql === undefined) return findings;
  await compareTokens(person, sql, findings);
  await compareItems(person, sql, findings);
  return findings;
}

async function compareTokens({ claims, world, mayForget }: Person, sql: Sql, { lost, documented }: Findings): Promise<void> {
  const live = ended(claims.accounts).flatMap(([email, endedBefore]) => {
    const family = world.workspace.familiesOf(email).find((each) => each.live && each.number < endedBefore);
    return family === undefined ? [] : [family];
  });
  const stored = await storedAmong(
    sql,
    'workspace',
    live.map(({ email }) => subjectOf(email)),
  );
  for (const { email, history, lostExchange, lostRotation } of live) {
    const isStored = stored.has(subjectOf(email));
    if (!isStored && (lostExchange || mayForget)) documented.push(`${email}: ${NEVER_STORED}`);
    else if (isStored && lostRotation) documented.push(`${email}: ${NEVER_ARRIVED}`);
    else lost.push(`a token of ${email} lives on after its disconnect (${isStored ? 'stored' : 'never stored'}; ${history.join(', ')})`);
  }
}

async function compareItems({ claims, world, mayForget }: Person, sql: Sql, { lost, documented }: Findings): Promise<void> {
  const live = ended(claims.banks).flatMap(([institution]) => world.bank.itemsOf(institution).filter(({ removed }) => !removed));
  const stored = await storedAmong(
    sql,
    'bank',
    live.map(({ id }) => id),
  );
  for (const { id, institution, lostExchange } of live) {
    if (!stored.has(id) && (lostExchange || mayForget)) documented.push(`${institution}: ${NEVER_STORED}`);
    else lost.push(`the item of ${institution} lives on after its deletion`);
  }
}

/** Removed accounts, with the number of the consent that would be a new one. */
function ended(claims: Map<string, AccountClaim>): [string, number][] {
  return [...claims].flatMap(([name, { standing, endedBefore }]) =>
    standing === 'gone' ? [[name, endedBefore ?? 0] as [string, number]] : [],
  );
}

/** Usually nothing is valid, and the database is not queried. */
async function storedAmong(sql: Sql, provider: 'workspace' | 'bank', subjects: readonly string[]): Promise<Set<string>> {
  return subjects.length === 0 ? new Set() : onceStored(sql, provider, subjects);
}

/** An acknowledged event is sent to the user's front ends once, unless its bank was removed by then. */
async function unheardWebhooks({ claims, world, name }: Person): Promise<string[]> {
  const due = Claims.of(claims.banks, 'connected').filter((institution) => claims.webhooks.get(institution) === true);
  if (due.length === 0 || world.sql === undefined) return [];
  const rows = await world.sql<{ times: number }>(
    `select count(*)::int as times from events e join users u on u.id = e.user_id
     where u.subject = $1 and e.event = 'account.new_accounts' group by e.data->>'account'`,
    [name],
  );
  const missing = due.length - rows.length;
  const twice = rows.filter(({ times }) => times > 1).length;
  return [
    ...(missing > 0 ? [`${missing} of ${due.length} bank events for ${name}`] : []),
    ...(twice > 0 ? [`${twice} bank events were told twice to ${name}`] : []),
  ];
}
