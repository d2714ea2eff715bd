import pg from 'pg';
import { SERVICE, startServer } from '../processes.ts';
import { countAll, liveThrough, untilSwept } from './living.ts';
import type { Scene } from './scene.ts';
import { tapStatements } from './statement-tap.ts';

/** How the database would run one statement of the service. */
export interface Plan {
  /** Its beginning, in one line. */
  statement: string;
  indexes: string[];
  /** Large tables that are scanned completely, or whose whole index is. */
  scanned: string[];
  /** Its cost is so high that the planner would use parallel workers or compilation. */
  isDear: boolean;
}

interface PlanNode {
  'Node Type': string;
  'Total Cost': number;
  Filter?: string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: PlanNode[];
}

/** Number of rows from which a table grows with the number of users. */
const BIG = 1_000;
const SHOWN = 90;
/** `jit_above_cost` as Postgres has it by default. */
const COMPILED_COST = 100_000;
/**
 * Every operation of a user and of the background, done once by a service whose SQL is recorded; then
 * the plans of each statement, for any parameters and for its largest ones. One of the users is deleted afterwards.
 */
export async function readPlans({ stage, env, people }: Scene): Promise<Plan[]> {
  const tap = await tapStatements(stage.databaseUrl);
  {
    await using server = await startServer(SERVICE, { ...env, DATABASE_URL: tap.url });
    await liveThrough(server.port, people, (subject) => stage.issuer.sign(subject));
    await countAll(tap.url);
    await untilSwept(tap.statements);
  }
  tap.close();
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(`select relname as name from pg_class where relkind = 'r' and reltuples > $1`, [
    BIG,
  ]);
  const big = new Set(rows.map(({ name }) => name));
  const plans: Plan[] = [];
  for (const [text, values] of tap.statements) {
    if (isOurs(text)) plans.push(judge(text, [await anyPlan(client, text), await explain(client, text, values)], big));
  }
  await client.end();
  return plans.toSorted((a, b) => a.statement.localeCompare(b.statement));
}

/** Without the queue library's statements, and without transaction control and settings. */
function isOurs(text: string): boolean {
  return /^\s*(select|insert|update|delete|with)\b/i.test(text) && !/pgboss|pg_catalog|information_schema|pgmigrations/.test(text);
}

/** The generic plan. */
async function anyPlan(client: pg.Client, text: string): Promise<PlanNode> {
  await client.query('set plan_cache_mode = force_generic_plan');
  await client.query(`prepare noted as ${text}`);
  const { rows } = await client.query<{ count: number }>(
    `select cardinality(parameter_types) as count from pg_prepared_statements where name = 'noted'`,
  );
  const parameters = Array<string>(rows[0]?.count ?? 0).fill('null');
  const root = await explain(client, parameters.length === 0 ? 'execute noted' : `execute noted(${parameters.join(', ')})`, []);
  await client.query('deallocate noted');
  await client.query('reset plan_cache_mode');
  return root;
}

/** The plan's topmost node, without running it. */
async function explain(client: pg.Client, text: string, values: unknown[]): Promise<PlanNode> {
  const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`explain (format json) ${text}`, values);
  const root = rows[0]?.['QUERY PLAN'][0];
  if (root === undefined) throw new Error(`no plan for ${text}`);
  return root.Plan;
}

function judge(text: string, roots: readonly PlanNode[], big: ReadonlySet<string>): Plan {
  const nodes = roots.flatMap(flatten);
  const few = new Set(nodes.flatMap((node) => (node['Node Type'] === 'Limit' ? (node.Plans ?? []).filter(isUnfiltered) : [])));
  const scanned = nodes.filter((node) => isWhole(node) && !few.has(node)).map((node) => node['Relation Name'] ?? '');
  return {
    statement: text.replaceAll(/\s+/g, ' ').trim().slice(0, SHOWN),
    indexes: [...new Set(nodes.flatMap((node) => node['Index Name'] ?? []))],
    scanned: [...new Set(scanned.filter((name) => big.has(name)))],
    isDear: roots.some((root) => root['Total Cost'] >= COMPILED_COST) || nodes.some((node) => node['Node Type'].startsWith('Gather')),
  };
}

/** With a limit, it is read only up to the limit. */
function isUnfiltered({ Filter }: PlanNode): boolean {
  return Filter === undefined;
}

/** An index without a condition is scanned completely. */
function isWhole(node: PlanNode): boolean {
  const type = node['Node Type'];
  return type === 'Seq Scan' || (/^Index (Only )?Scan$/.test(type) && node['Index Cond'] === undefined);
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
