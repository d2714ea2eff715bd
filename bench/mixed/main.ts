// `npm run bench:load`: mixed traffic for a minute, the cost of a request as users increase, and the plans of the
// service's SQL. `-- --seconds 20` makes the traffic shorter; `-- traffic`, `-- growth` and `-- plans` run only that part.
// `-- statements` prints what a request of each kind costs; it runs only when it is named.
import { parseArgs } from 'node:util';
import { fillUp } from './crowd.ts';
import { type Crowded, measureGrowth, SIZES } from './growth.ts';
import { readPlans } from './plans.ts';
import { growthTable, plansTable, statementsTable, trafficTable } from './report.ts';
import { openScene } from './scene.ts';
import { measureStatementCosts } from './statement-costs.ts';
import { mixedTraffic } from './traffic.ts';

const PARTS = ['traffic', 'growth', 'plans', 'statements'];
const SOCKETS = 1_000;
const CONSTANT_PEOPLE = 100;
const STATEMENTS_PEOPLE = 100;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seconds: { type: 'string', default: '60' } } });
const unknown = positionals.find((part) => !PARTS.includes(part));
const seconds = Number(values.seconds);
if (unknown !== undefined || !(seconds >= 20)) {
  console.error(`Usage: npm run bench:load [-- --seconds <20 or more>] [${PARTS.join(' | ')}]`);
  process.exit(2);
}
const wants = (part: string) => positionals.length === 0 || positionals.includes(part);

async function traffic(): Promise<void> {
  console.error(`mixed traffic for ${seconds} s …`);
  await using scene = await openScene(SOCKETS);
  console.log(trafficTable(await mixedTraffic(scene, seconds * 1000)));
}

async function crowdParts(): Promise<void> {
  await using open = new AsyncDisposableStack();
  const crowded: Crowded[] = [];
  for (const users of wants('growth') ? SIZES : SIZES.slice(-1)) {
    console.error(`${users.toLocaleString('en-GB')} users …`);
    const scene = open.use(await openScene(CONSTANT_PEOPLE));
    await fillUp(scene.stage.databaseUrl, users);
    crowded.push({ users, scene });
  }
  if (wants('growth')) {
    console.error('what a request costs …');
    console.log(growthTable(await measureGrowth(crowded)));
  }
  const most = crowded.at(-1);
  if (!wants('plans') || most === undefined) return;
  console.error('plans …');
  console.log(plansTable(await readPlans(most.scene)));
}

async function statements(): Promise<void> {
  console.error('what a request of each kind costs …');
  await using scene = await openScene(STATEMENTS_PEOPLE);
  console.log(statementsTable(await measureStatementCosts(scene)));
}

if (positionals.includes('statements')) await statements();
if (wants('traffic')) await traffic();
if (wants('growth') || wants('plans')) await crowdParts();
