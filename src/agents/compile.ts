import type { Provider } from '../vault/grants-repository.ts';
import { BUILT_INS } from './built-ins.ts';
import type { Catalog, ConfiguredAction, ConfiguredAgent } from './catalog.ts';

const TIMEOUT_MS = 30_000;
const CAP_BYTES = 256 * 1024;

type DeclaredAgent = { provider: Provider; description: string; scopes?: readonly string[]; products?: readonly string[] };

/** Compiles the agents of the integrations file. */
export function compileCatalog(revision: string, agents: Record<string, DeclaredAgent>): Catalog {
  const compiled = new Map<string, ConfiguredAgent>();
  for (const [name, agent] of Object.entries(agents)) {
    const actions = [...BUILT_INS.values()]
      .filter((action) => action.name.startsWith(`${name}.`))
      .map(
        (action): ConfiguredAction => ({
          name: action.name,
          agent: name,
          description: action.description,
          action,
          policy: {
            enabled: true,
            approval: 'never',
            timeoutMs: action.timeoutMs ?? TIMEOUT_MS,
            rate: { calls: 60, perMs: 60_000 },
            allow: {},
            unmasked: false,
          },
          capBytes: action.capBytes ?? CAP_BYTES,
        }),
      );
    compiled.set(name, {
      name,
      provider: agent.provider,
      description: agent.description,
      needs: agent.scopes ?? agent.products ?? [],
      actions,
    });
  }
  const all = [...compiled.values()].flatMap((agent) => agent.actions);
  return { revision, agents: compiled, actions: new Map(all.map((action) => [action.name, action])) };
}
