import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bankOperations } from '../../sandbox/bank/bank-api.ts';
import { GOOGLE_APIS } from '../../sandbox/google/google-apis.ts';
import { BUILT_INS } from '../../src/actions/built-ins.ts';
import { type Exchange, recordedSandbox } from '../support/emulators/recorded-sandbox.ts';
import { newPerson } from '../support/emulators/workspace-content.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';
import { callBankActions } from './bank-calls.ts';
import { readBankDocument } from './bank-document.ts';
import { callGoogleDirectly, callPlaidDirectly } from './direct-calls.ts';
import { EXCEPTIONS } from './exceptions.ts';
import { readGoogleDocument } from './google-document.ts';
import { Judge } from './judge.ts';
import { callWorkspaceActions } from './workspace-calls.ts';

const exchanges: Exchange[] = [];
/** Actions that were called. */
const called = new Set<string>();
const bank = readBankDocument();
const judges = { workspace: new Judge(readGoogleDocument()), bank: new Judge(bank, bank.refer('PlaidError')) };
let steward: TestSteward;

beforeAll(async () => {
  steward = await startSteward({}, { loadSandbox: recordedSandbox(exchanges) });
  const person = await newPerson(steward);
  const act = (action: string, input?: unknown) => {
    called.add(action);
    return person.act(action, input);
  };
  await callWorkspaceActions(act);
  await callBankActions(steward, { ...person, act });
  await callGoogleDirectly(person.google);
  await callPlaidDirectly(steward);
});

afterAll(() => steward?.stop());

describe('the emulators of the providers', () => {
  it('get and send only what the providers’ documents know, beside the exceptions', () => {
    const problems = exchanges.flatMap((exchange) => judges[exchange.part].problemsOf(exchange));
    expect([...new Set(problems)].sort()).toEqual(Object.keys(EXCEPTIONS).sort());
  });

  it('were asked by every action', () => {
    expect([...called].sort()).toEqual([...BUILT_INS.keys()].sort());
  });

  it('were asked for everything that they play', () => {
    const reached = exchanges.filter(({ status }) => status < 400).map((exchange) => judges[exchange.part].methodOf(exchange)?.id);
    const played = [
      ...GOOGLE_APIS.flatMap(({ methods }) => methods).map(({ verb, path }) => judges.workspace.methodOf({ verb, url: exampleOf(path) })),
      ...Object.keys(bankOperations({} as never)).map((url) => judges.bank.methodOf({ verb: 'POST', url })),
    ].map((method) => method?.id);
    expect(played.filter((id) => !reached.includes(id))).toEqual([]);
  });
});

/** @param path in Express's syntax */
function exampleOf(path: string): string {
  return path.replaceAll(/(?<!\\):\w+/g, 'x').replaceAll('\\:', ':');
}
