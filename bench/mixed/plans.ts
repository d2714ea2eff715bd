import pg from 'pg';
import { SERVICE, startServer } from '../processes.ts';
import type { Stage } from '../stage.ts';
import { CallingSocket, closeRequests } from './lanes.ts';
import { Latencies } from './latencies.ts';
import type { Person } from './people.ts';
import { tapStatements } from './statement-tap.ts';

/** How the database would run one statement of the service. */
export interface Plan {
  /** Its beginning, on one line. */
  statement: string;
  indexes: string[];
  /** Big tables that are read from end to end, or whose whole index is. */
  scanned: string[];
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: PlanNode[];
}

/** Rows from which reading a whole table grows with the number of users. */
const BIG = 1_000;
const SHOWN = 90;

/**
 * Everything that a person can do, done once by a service whose SQL is noted, and then the plan of each statement as
 * it is for any parameters.
 *
 * @param person gone afterwards
 */
export async function readPlans(stage: Stage, env: Record<string, string>, person: Person): Promise<Plan[]> {
  const tap = await tapStatements(stage.databaseUrl);
  {
    await using server = await startServer(SERVICE, { ...env, DATABASE_URL: tap.url });
    await liveThrough(`http://127.0.0.1:${server.port}`, server.port, person);
  }
  tap.close();
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  await client.connect();
  await client.query(`set plan_cache_mode = force_generic_plan`);
  const { rows } = await client.query<{ name: string }>(`select relname as name from pg_class where relkind = 'r' and reltuples > $1`, [
    BIG,
  ]);
  const big = new Set(rows.map(({ name }) => name));
  const plans: Plan[] = [];
  for (const text of tap.statements) if (isOurs(text)) plans.push(await plan(client, text, big));
  await client.end();
  return plans.toSorted((a, b) => a.statement.localeCompare(b.statement));
}

async function liveThrough(base: string, port: number, { token }: Person): Promise<void> {
  const send = async (method: string, path: string, form?: Record<string, string>) => {
    const body = form && new URLSearchParams(form);
    const answer = await fetch(base + path, { method, headers: { authorization: token }, ...(body && { body }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return text;
  };
  const socket = await CallingSocket.open(port, token);
  const calls = new Latencies();
  await socket.call('mail.labels', calls);
  if (calls.errors > 0) throw new Error(calls.firstError);
  await send('POST', '/waitlist', { email: 'somebody@example.com' });
  await send('POST', '/workspace_access_request', { email: 'somebody@example.com' });
  await send('GET', '/update_integrations');
  await send('GET', '/integrations');
  await send('GET', '/auth/bank/accounts');
  await send('GET', '/user/audit');
  await send('GET', '/user/export');
  const { accounts } = JSON.parse(await send('GET', '/auth/workspace/accounts')) as { accounts: { id: string }[] };
  await send('POST', `/auth/workspace/accounts/${accounts[0]?.id}/default`);
  await send('DELETE', `/auth/workspace/accounts/${accounts[0]?.id}`);
  await send('DELETE', '/user');
  socket.close();
  closeRequests();
}

/** Not what the queue's library sends, nor what only begins, ends or sets up. */
function isOurs(text: string): boolean {
  return /^\s*(select|insert|update|delete|with)\b/i.test(text) && !/pgboss|pg_catalog|information_schema|pgmigrations/.test(text);
}

async function plan(client: pg.Client, text: string, big: ReadonlySet<string>): Promise<Plan> {
  await client.query(`prepare noted as ${text}`);
  const { rows: found } = await client.query<{ count: number }>(
    `select cardinality(parameter_types) as count from pg_prepared_statements where name = 'noted'`,
  );
  const parameters = Array<string>(found[0]?.count ?? 0).fill('null');
  const execute = parameters.length === 0 ? 'execute noted' : `execute noted(${parameters.join(', ')})`;
  const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`explain (format json, costs off) ${execute}`);
  await client.query('deallocate noted');
  const nodes = (rows[0]?.['QUERY PLAN'] ?? []).flatMap((root) => flatten(root.Plan));
  const scanned = nodes.filter(isWhole).map((node) => node['Relation Name'] ?? '');
  return {
    statement: text.replaceAll(/\s+/g, ' ').trim().slice(0, SHOWN),
    indexes: [...new Set(nodes.flatMap((node) => node['Index Name'] ?? []))],
    scanned: [...new Set(scanned.filter((name) => big.has(name)))],
  };
}

/** An index without a condition is walked from end to end. */
function isWhole(node: PlanNode): boolean {
  const type = node['Node Type'];
  return type === 'Seq Scan' || (/^Index (Only )?Scan$/.test(type) && node['Index Cond'] === undefined);
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
