// `npm run bench:load`: mixed traffic for a minute, what a request costs as users become many, and the plans of the
// service's SQL. `-- --seconds 20` makes the traffic shorter; `-- traffic`, `-- growth` and `-- plans` take only that part.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { SERVICE, startServer } from '../processes.ts';
import { openStage, type Stage } from '../stage.ts';
import { fillUp } from './crowd.ts';
import { measureGrowth, SIZES } from './growth.ts';
import { createPeople, type Person } from './people.ts';
import { readPlans } from './plans.ts';
import { growthTable, plansTable, trafficTable } from './report.ts';
import { mixedTraffic } from './traffic.ts';
import { startWorkspaceStandIn, type WorkspaceStandIn } from './workspace-stand-in.ts';

const PARTS = ['traffic', 'growth', 'plans'];
const SOCKETS = 1_000;
const CONSTANT_PEOPLE = 100;
const PLENTY = '100000000';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seconds: { type: 'string', default: '60' } } });
const unknown = positionals.find((part) => !PARTS.includes(part));
const seconds = Number(values.seconds);
if (unknown !== undefined || !(seconds >= 20)) {
  console.error(`Usage: npm run bench:load [-- --seconds <20 or more>] [${PARTS.join(' | ')}]`);
  process.exit(2);
}
const wants = (part: string) => positionals.length === 0 || positionals.includes(part);

/** A fresh database with people in it, and what the service needs to serve them. */
async function onStage(
  people: number,
  work: (stage: Stage, env: Record<string, string>, people: Person[], standIn: WorkspaceStandIn) => Promise<void>,
) {
  const stage = await openStage();
  const standIn = await startWorkspaceStandIn();
  const env = {
    ...stage.serviceEnv,
    GOOGLE_CLIENT_ID: 'bench',
    GOOGLE_CLIENT_SECRET: 'bench',
    GOOGLE_TOKEN_URL: `${standIn.url}/token`,
    GOOGLE_REVOKE_URL: `${standIn.url}/revoke`,
    GOOGLE_API_URL: standIn.url,
    INTEGRATIONS_FILE: join(import.meta.dirname, 'integrations.yaml'),
    // Everybody comes from one address here.
    LIMIT_PROVIDER_REQUESTS_PER_MINUTE: PLENTY,
  };
  try {
    await work(stage, env, await createPeople(stage, standIn, people), standIn);
  } finally {
    standIn.close();
    await stage.close();
  }
}

async function traffic(): Promise<void> {
  console.error(`mixed traffic for ${seconds} s …`);
  await onStage(SOCKETS, async (stage, env, people, standIn) => {
    await using server = await startServer(SERVICE, env);
    const result = await mixedTraffic(server, people, seconds * 1000);
    const database = new pg.Client({ connectionString: stage.databaseUrl });
    await database.connect();
    const { rows } = await database.query<{ rows: number }>(`select count(*)::int as rows from audit_log where outcome = 'ok'`);
    await database.end();
    console.log(trafficTable(result, standIn, rows[0]?.rows ?? 0));
  });
}

async function crowdParts(): Promise<void> {
  await onStage(CONSTANT_PEOPLE, async (stage, env, people) => {
    if (wants('growth')) {
      console.error('what a request costs …');
      console.log(growthTable(await measureGrowth(stage, env, people)));
    }
    if (!wants('plans')) return;
    console.error('plans …');
    await fillUp(stage.databaseUrl, SIZES.at(-1) ?? 0);
    console.log(plansTable(await readPlans(stage, env, people[0] as Person)));
  });
}

if (wants('traffic')) await traffic();
if (wants('growth') || wants('plans')) await crowdParts();
