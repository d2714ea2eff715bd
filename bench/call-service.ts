// The complete service of (g) and (i), with production settings, a bank that responds from memory, and an action that reads
// from it, one that changes something, and one that asks the user first.
import { z } from 'zod';
import { toLazyAction } from '../src/actions/shared/action.ts';
import { builtIn } from '../src/actions/shared/built-in.ts';
import { loadConfig } from '../src/config/load-config.ts';
import type { Catalog, ConfiguredAction } from '../src/integrations/catalog.ts';
import { bankDescriptor } from '../src/providers/bank/bank-descriptor.ts';
import type { BankSession } from '../src/providers/bank/bank-session.ts';
import type { ProviderDescriptor } from '../src/providers/shared/provider.ts';
import { workspaceDescriptor } from '../src/providers/workspace/workspace-descriptor.ts';
import { startServer } from '../src/server.ts';

const text = z.strictObject({ text: z.string() });

const action = (name: string, effect: 'read' | 'write') =>
  builtIn('bank', {
    name,
    effect,
    description: 'Responds from memory.',
    scopes: [],
    input: text,
    output: text,
    summary: () => 'Respond from memory',
    run: (input, { session }) => session.call('accounts/get', input, text),
  });

/** Like the bank's own sessions, it begins each call with the account's token from the vault. */
const bank: ProviderDescriptor = {
  ...bankDescriptor,
  session: (_client, grant): BankSession => ({
    async call(_name: string, body: unknown) {
      await grant.current();
      return body as never;
    },
  }),
};

function configured(name: string, effect: 'read' | 'write', approval: 'never' | 'always'): ConfiguredAction {
  return {
    name: `bench.${name}`,
    tool: `bench_${name}`,
    agent: 'bench',
    description: 'Responds from memory.',
    action: toLazyAction(action(`bench.${name}`, effect)),
    policy: {
      enabled: true,
      approval,
      timeoutMs: 30_000,
      rate: { calls: Number.MAX_SAFE_INTEGER, perMs: 60_000 },
      allow: {},
      tainted: 'ask',
      financial: 'ask',
      unmasked: false,
    },
    capBytes: 256 * 1024,
    revision: 'bench',
  };
}

const ACTIONS = [configured('echo', 'read', 'never'), configured('change', 'write', 'never'), configured('ask', 'write', 'always')];

/** By the catalog that was loaded: each call asks for it several times. */
const extended = new WeakMap<Catalog, Catalog>();

/** The file's own actions are listed beside them. */
function withActions(loaded: Catalog): Catalog {
  const known = extended.get(loaded);
  if (known !== undefined) return known;
  const actions = new Map([...loaded.actions, ...ACTIONS.map((one) => [one.name, one] as const)]);
  const catalog = { ...loaded, actions, tools: new Map([...loaded.tools, ...ACTIONS.map(({ tool, name }) => [tool, name] as const)]) };
  extended.set(loaded, catalog);
  return catalog;
}

const steward = await startServer(loadConfig(), { catalog: withActions, providers: [workspaceDescriptor, bank] });
process.on('SIGTERM', () => void steward.stop().then(() => process.exit(0)));
