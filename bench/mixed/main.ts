// `npm run bench:load`: traffic in an open loop beside a bare reference, the cost of a request as users increase, the plans of
// the service's SQL, and what operations take beside many rows. `-- load --seconds 20 --rounds 1` makes the traffic shorter;
// `-- load`, `-- growth`, `-- plans` and `-- rows` run only that part, the last one of a size: `--users 1000000 --audit-rows
// 100000000`. Only when named: `-- soak --minutes 30` runs for long at half of what one core carries, and `-- statements`
// prints what a request of each kind costs.
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { fillUp } from './crowd.ts';
import { type Crowded, measureGrowth, SIZES } from './growth.ts';
import { dropExpiredMonth, fill, historyOf } from './history.ts';
import type { Person } from './people.ts';
import { readPlans } from './plans.ts';
import { changesTable, growthTable, openLoopTable, plansTable, rewrapLine, rowsTable, soakTable, statementsTable } from './report.ts';
import { timeRewrap } from './rewrap.ts';
import { measureRows } from './rows.ts';
import { openScene } from './scene.ts';
import { measureStatementCosts } from './statement-costs.ts';
import { openLoop, soak } from './traffic.ts';
import { spreadLife } from './workspace-emulator.ts';

/** Those of a run that names none. */
const USUAL = ['load', 'growth', 'plans', 'rows'];
const PARTS = [...USUAL, 'soak', 'statements'];
const SOCKETS = 1_000;
const CONSTANT_PEOPLE = 100;
const STATEMENTS_PEOPLE = 100;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    capacity: { type: 'string' },
    users: { type: 'string', default: '100000' },
    'audit-rows': { type: 'string', default: '2000000' },
  },
});
const capacity = values.capacity === undefined ? undefined : Number(values.capacity);
const unknown = positionals.find((part) => !PARTS.includes(part));
const [seconds, rounds, minutes, seed] = [Number(values.seconds), Number(values.rounds), Number(values.minutes), Number(values.seed)];
const [users, auditRows] = [Number(values.users), Number(values['audit-rows'])];
const isTraffic = seconds >= 5 && rounds >= 1 && minutes > 0 && (capacity ?? 1) > 0 && Number.isInteger(seed);
if (unknown !== undefined || !isTraffic || !(users > CONSTANT_PEOPLE && auditRows > 0)) {
  console.error(
    `Usage: npm run bench:load [-- --seconds <5 or more> --rounds <1 or more> --minutes <of the soak> --seed <whole number> --capacity <requests a second of one core> --users <users of rows> --audit-rows <rows>] [${PARTS.join(' | ')}]`,
  );
  process.exit(2);
}
const wants = (part: string) => (positionals.length === 0 ? USUAL : positionals).includes(part);
const progress = (line: string) => console.error(line);

async function load(): Promise<void> {
  progress('the open loop …');
  await using scene = await openScene(SOCKETS, spreadLife);
  console.log(openLoopTable(await openLoop(scene, { seconds, capacity, rounds, seed, progress })));
}

async function soakFor(): Promise<void> {
  progress(`a soak of ${minutes} minutes …`);
  await using scene = await openScene(SOCKETS, spreadLife);
  console.log(soakTable(await soak(scene, { seconds: minutes * 60, capacity, seed, progress })));
}

async function crowdParts(): Promise<void> {
  await using open = new AsyncDisposableStack();
  const crowded: Crowded[] = [];
  for (const users of wants('growth') ? SIZES : SIZES.slice(-1)) {
    console.error(`${users.toLocaleString('en-GB')} users …`);
    const scene = open.use(await openScene(CONSTANT_PEOPLE));
    await fillUp(scene.stage, users);
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
  progress('what a request of each kind costs …');
  await using scene = await openScene(STATEMENTS_PEOPLE);
  console.log(statementsTable(await measureStatementCosts(scene)));
}

async function rows(): Promise<void> {
  progress(`${users.toLocaleString('en-GB')} users, ${auditRows.toLocaleString('en-GB')} rows of the audit log …`);
  await using scene = await openScene(CONSTANT_PEOPLE);
  const { stage, people } = scene;
  await fillUp(stage, users, false);
  const [other, heavy] = people.slice(-2) as [Person, Person];
  const history = historyOf(stage.databaseUrl, auditRows, heavy.userId);
  progress('the rows …');
  await fill(history);
  progress('a month is dropped …');
  console.log(changesTable([await dropExpiredMonth(history, other.userId)]));
  progress('what operations take …');
  const nextKeys = `next:${randomBytes(32).toString('base64')},${scene.env.MASTER_KEYS}`;
  console.log(rowsTable(await measureRows(scene.env, other.userId, heavy.userId, nextKeys)));
  progress('npm run keys -- rewrap …');
  console.log(rewrapLine(await timeRewrap(stage.databaseUrl, nextKeys)));
  progress('what a request costs …');
  const crowded = { ...scene, env: { ...scene.env, MASTER_KEYS: nextKeys }, people: people.filter((person) => person !== heavy) };
  await using few = await openScene(crowded.people.length);
  console.log(
    growthTable(
      await measureGrowth([
        { users: CONSTANT_PEOPLE, scene: few },
        { users, scene: crowded },
      ]),
    ),
  );
  progress('plans …');
  console.log(plansTable(await readPlans(crowded)));
}

if (wants('load')) await load();
if (wants('soak')) await soakFor();
if (wants('statements')) await statements();
if (wants('growth') || wants('plans')) await crowdParts();
if (wants('rows')) await rows();
