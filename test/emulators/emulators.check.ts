import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bankOperations } from '../../sandbox/bank/bank-api.ts';
import { GOOGLE_APIS } from '../../sandbox/google/google-apis.ts';
import schemas from '../../src/actions/built-in-schemas.json' with { type: 'json' };
import { BUILT_INS } from '../../src/actions/built-ins.ts';
import { type Exchange, recordedSandbox } from '../support/emulators/recorded-sandbox.ts';
import { callApproved, newPerson, type Person } from '../support/emulators/workspace-content.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';
import { callBankActions } from './bank-calls.ts';
import { readBankDocument } from './bank-document.ts';
import { callGoogleDirectly, callPlaidDirectly } from './direct-calls.ts';
import type { DocumentedMethod } from './documents.ts';
import { readGoogleDocument } from './google-document.ts';
import { Judge } from './judge.ts';
import { mistakesOf } from './mistakes.ts';
import { callOAuth } from './oauth-calls.ts';
import { readOAuthDocument } from './oauth-document.ts';
import { callWorkspaceActions } from './workspace-calls.ts';

const exchanges: Exchange[] = [];
/** Actions that were called, with the inputs that they were given. */
const called = new Map<string, Set<string>>();
const judges = {
  workspace: new Judge(readGoogleDocument()),
  oauth: new Judge(readOAuthDocument()),
  bank: new Judge(readBankDocument()),
};
let steward: TestSteward;
let person: Person;

beforeAll(async () => {
  steward = await startSteward({}, { loadSandbox: recordedSandbox(exchanges) });
  for (const { name } of GOOGLE_APIS) await steward.control('workspace/quota', { api: name, units_per_minute: 1_000_000 });
  await callOAuth(steward);
  person = await newPerson(steward);
  const call = (action: string, input: object = {}) => {
    const given = called.get(action) ?? new Set();
    called.set(action, new Set([...given, ...Object.keys(input)]));
    return callApproved(steward, person.token, action, input);
  };
  const act = async (action: string, input?: object) => (await call(action, input)).data;
  const revert = async (action: string, input?: object) => {
    const { data, meta } = await call(action, input);
    if (meta.undo === undefined) throw new Error(`${action} names no undo`);
    await call(meta.undo.action, meta.undo.input);
    return data;
  };
  await callWorkspaceActions(act, revert);
  await callBankActions(steward, { ...person, act });
  await callGoogleDirectly(person.google);
  await callPlaidDirectly(steward);
});

afterAll(() => steward?.stop());

describe('the emulators of the providers', () => {
  it('get and send only what the providers’ documents know', () => {
    const problems = exchanges.flatMap((exchange) => judges[exchange.part].problemsOf(exchange));
    expect([...new Set(problems)]).toEqual([]);
  });

  it('were asked by every action, with each of its inputs', () => {
    // Those of the service itself ask nobody.
    const asking = Object.entries(schemas).filter(([name]) => BUILT_INS.get(name)?.provider !== 'steward');
    const missing = asking.flatMap(([name, { input }]) => {
      const given = called.get(name);
      const others = Object.keys(input.properties).filter((property) => given?.has(property) === false);
      return given === undefined ? [name] : others.map((property) => `${name} ${property}`);
    });
    expect(missing).toEqual([]);
  });

  it('were asked for everything that they play', () => {
    const reached = exchanges.filter(({ status }) => status < 400).map((exchange) => judges[exchange.part].methodOf(exchange)?.id);
    const played = [
      ...GOOGLE_APIS.flatMap(({ methods }) => methods).map(({ verb, path }) => judges.workspace.methodOf({ verb, url: exampleOf(path) })),
      ...Object.keys(bankOperations({} as never)).map((url) => judges.bank.methodOf({ verb: 'POST', url })),
    ].map((method) => method?.id);
    expect(reached).toEqual(expect.arrayContaining(['oauth.token', 'oauth.revoke', 'oauth.userinfo']));
    expect(played.filter((id) => !reached.includes(id))).toEqual([]);
  });

  it('reject each request with a mistake, as the providers do', async () => {
    const accepted: string[] = [];
    for (const [id, exchange] of richestRequests()) {
      const judge = judges[exchange.part];
      for (const { what, url, body } of mistakesOf(exchange, judge.methodOf(exchange) as DocumentedMethod, judge.resolved)) {
        const message = await rejection({ ...exchange, url, body });
        if (!REJECTED.test(message)) accepted.push(`${id}: ${what} (${message})`);
      }
    }
    expect(accepted).toEqual([]);
    // Their errors are as the documents describe, too.
    const errors = exchanges.filter(({ status }) => status >= 400);
    expect([...new Set(errors.flatMap((exchange) => judges[exchange.part].problemsOf(exchange)))]).toEqual([]);
  });
});

/** How a provider names what is wrong with a request itself. */
const REJECTED = new RegExp(
  [
    /Unknown name|Invalid value at|Invalid field selection|Required parameter|not directly writable/,
    /Missing (?:start|end) time|Missing draft id|'raw' RFC822 payload|permission type or role/,
    /UNKNOWN_FIELDS|MISSING_FIELDS|INVALID_FIELD|INVALID_API_KEYS/,
  ]
    .map(({ source }) => source)
    .join('|'),
);

/** The longest request in JSON of each method, if it succeeded. */
function richestRequests(): Map<string, Exchange> {
  const requests = new Map<string, Exchange>();
  const length = ({ url, body }: Exchange) => url.length + (JSON.stringify(body)?.length ?? 0);
  for (const exchange of exchanges) {
    const { id } = judges[exchange.part].methodOf(exchange) ?? {};
    if (id === undefined || exchange.status >= 400 || exchange.url.startsWith('/upload') || exchange.part === 'oauth') continue;
    const known = requests.get(id);
    if (known === undefined || length(exchange) > length(known)) requests.set(id, exchange);
  }
  return requests;
}

/** The error of a request; '': it succeeded. */
async function rejection({ part, verb, url, body }: Exchange): Promise<string> {
  if (part === 'workspace') return (await person.google(verb, url, body)).body?.error?.message ?? '';
  const isInBody = typeof body === 'object' && body !== null && 'client_id' in body;
  const credentials = isInBody ? {} : { 'PLAID-CLIENT-ID': 'sandbox', 'PLAID-SECRET': 'sandbox' };
  const headers = { 'content-type': 'application/json', ...credentials };
  const response = await steward.call(`/sandbox/bank${url}`, { method: verb, headers, body: JSON.stringify(body) });
  return response.body.error_code ?? '';
}

/** @param path in Express's syntax */
function exampleOf(path: string): string {
  return path.replaceAll(/(?<!\\):\w+/g, 'x').replaceAll('\\:', ':');
}
