import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { installation, missingPackages, programOf } from '../support/processes/debian-packages.ts';
import { createPlace, type Place, startProcess, type TestProcess } from '../support/processes/process.ts';
import { connect, linkBank } from '../support/scenes/flows.ts';
import { check, notHere, type Outcome } from './support/check.ts';
import { startVulnerable } from './support/vulnerable.ts';

const PLENTY = '100000000';
const SQLMAP_MS = 240_000;
const WAPITI_SECONDS = 240;
/** Without those that call a server on the Internet to come back (ssrf, xxe, log4shell) or download lists (nikto, wapp). */
const WAPITI_MODULES = 'sql,xss,permanentxss,exec,file,crlf,redirect,backup,htaccess,csp,http_headers,cookieflags,methods';

/**
 * Helmet sends 0: the filter could be used against the page, and browsers have removed it. On http at loopback, where this
 * service runs, no cookie can be Secure; that they are on https is tested in test/service/sign-in.
 */
const ACCEPTED = /X-XSS-Protection is not set|Secure flag is not set in the cookie : steward_sign_in_[\w-]{16}$/;

let place: Place;
let steward: TestProcess;
let token: string;
let accountId: string;
let folder: string;
let vulnerable: Awaited<ReturnType<typeof startVulnerable>>;

beforeAll(async () => {
  place = await createPlace();
  const limits = ['REQUESTS', 'PROVIDER_REQUESTS', 'USER_PROVIDER_REQUESTS', 'WAITLIST'].map((name) => [
    `LIMIT_${name}_PER_MINUTE`,
    PLENTY,
  ]);
  steward = await startProcess({ ...place.env, ...Object.fromEntries(limits) });
  token = await steward.signIn('scanned');
  await connect(steward, { token, email: 'scanned@example.com' });
  await linkBank(steward, token);
  accountId = (await steward.call('/auth/workspace/accounts', { token })).body.accounts[0].id;
  vulnerable = await startVulnerable();
  folder = mkdtempSync(join(tmpdir(), 'steward-scanners-'));
});

afterAll(async () => {
  await vulnerable.close();
  await steward.kill('SIGKILL');
  await place.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a program to its end, or to the time limit. */
function run(path: string, args: string[], limitMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      resolve(output);
    });
  });
}

/** `*` marks where sqlmap injects. */
interface Target {
  name: string;
  path: () => string;
  data?: string;
  method?: string;
}

const TARGETS: Target[] = [
  { name: 'POST /waitlist', path: () => '/waitlist', data: 'email=ada@example.com*' },
  { name: 'POST /workspace_access_request', path: () => '/workspace_access_request', data: 'email=ada@example.com*' },
  { name: 'GET /auth/workspace/callback', path: () => '/auth/workspace/callback?state=abc*&code=abc*' },
  { name: 'GET /auth/workspace/login', path: () => '/auth/workspace/login?token=abc*' },
  { name: 'POST /auth/bank/create_link_token', path: () => '/auth/bank/create_link_token', data: 'account_id=abc*' },
  { name: 'POST …/accounts/{id}/default', path: () => `/auth/workspace/accounts/${accountId}*/default`, data: 'a=b', method: 'POST' },
];

/** Whether sqlmap found an injection; undefined if it did not finish. */
async function injectable(target: Target, base: string): Promise<{ verdict: boolean | undefined; said: string }> {
  const { path, data, method } = target;
  const args = [
    `--url=${base}${path()}`,
    ...(data === undefined ? [] : [`--data=${data}`]),
    ...(method === undefined ? [] : [`--method=${method}`]),
    `--headers=Authorization: ${token}`,
    '--batch',
    '--level=2',
    '--risk=2',
    '--technique=BEUS',
    '--dbms=PostgreSQL',
    '--ignore-code=400,401,403,404,405,413,502',
    '--ignore-redirects',
    '--flush-session',
    '--disable-coloring',
    `--output-dir=${folder}`,
  ];
  const output = await run(programOf('sqlmap'), args, SQLMAP_MS);
  const said = output.trim().split('\n').slice(-3).join(' ');
  if (/is vulnerable|identified the following injection/.test(output)) return { verdict: true, said };
  return { verdict: /do not appear to be injectable|does not seem to be injectable/.test(output) ? false : undefined, said };
}

check('sqlmap', async () => {
  if (missingPackages(['sqlmap']).length > 0) return notHere(installation(['sqlmap']));
  const outcome: Outcome = { tried: 0, failed: [] };
  const control = await injectable({ name: 'control', path: () => '/', data: 'email=ada@example.com*' }, vulnerable.url);
  if (control.verdict !== true) outcome.failed.push(`it found nothing where there is something: ${control.said}`);
  for (const target of TARGETS) {
    outcome.tried += 1;
    const { verdict, said } = await injectable(target, steward.url);
    if (verdict !== false) outcome.failed.push(`${target.name}: ${verdict === true ? 'injectable' : 'sqlmap came to no end'}: ${said}`);
  }
  outcome.failed.push(...(await health()));
  return outcome;
});

interface WapitiReport {
  vulnerabilities: Record<string, { path: string; info: string; parameter: string }[]>;
  anomalies: Record<string, { path: string; info: string }[]>;
  infos: { crawled_pages_nbr?: number };
}

/** wapiti's findings; pages crawled, too. */
async function attack(base: string, starts: string[]): Promise<{ pages: number; found: string[] } | { said: string }> {
  const file = join(folder, `wapiti-${starts.length}.json`);
  const args = [
    `--url=${base}/`,
    ...starts.map((path) => `--start=${base}${path}`),
    `--module=${WAPITI_MODULES}`,
    `--header=Authorization: ${token}`,
    '--scope=domain',
    '--flush-session',
    '--no-bugreport',
    `--max-scan-time=${WAPITI_SECONDS / 2}`,
    `--max-attack-time=${WAPITI_SECONDS / 8}`,
    '--format=json',
    `--output=${file}`,
  ];
  const output = await run(programOf('wapiti'), args, WAPITI_SECONDS * 2_000);
  if (!existsSync(file)) return { said: output.trim().split('\n').slice(-3).join(' ') };
  const { vulnerabilities, anomalies, infos } = JSON.parse(readFileSync(file, 'utf8')) as WapitiReport;
  const found = Object.entries({ ...vulnerabilities, ...anomalies }).flatMap(([kind, all]) =>
    all.filter(({ info }) => !ACCEPTED.test(info)).map(({ path, info }) => `${kind}: ${path}: ${info}`),
  );
  return { pages: infos.crawled_pages_nbr ?? starts.length, found };
}

check('wapiti', async () => {
  if (missingPackages(['wapiti']).length > 0) return notHere(installation(['wapiti']));
  const failed: string[] = [];
  const control = await attack(vulnerable.url, ['/?q=a']);
  if (!('found' in control && control.found.some((one) => one.includes('Cross Site Scripting'))))
    failed.push('it found nothing where there is something');
  const { paths } = (await steward.call('/openapi.json')).body;
  const open = Object.keys(paths).filter((path) => paths[path].get !== undefined);
  const starts = open.map((path) => path.replace(/\{\w+\}/g, accountId));
  const queries = ['/auth/workspace/callback?state=a&code=b&error=c&iss=d', '/auth/workspace/login?token=a&redirect_uri=b&email=c'];
  const result = await attack(steward.url, [...starts, ...queries]);
  if ('said' in result) return { tried: 1, failed: [...failed, `it wrote no report: ${result.said}`] };
  return { tried: result.pages, failed: [...failed, ...result.found, ...(await health())] };
});

async function health(): Promise<string[]> {
  const failed: string[] = [];
  if (!steward.running() || (await steward.call('/test')).status !== 200) failed.push('the process did not live through it');
  const alarming = steward
    .output()
    .split('\n')
    .filter((line) => /"level":(50|60)|^\s+at /.test(line));
  if (alarming.length > 0) failed.push(`the log holds ${alarming.length} errors: ${alarming[0]?.slice(0, 300)}`);
  return failed;
}
