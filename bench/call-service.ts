// The complete service of (g), with production settings and one action whose provider responds from memory.
import { z } from 'zod';
import { toLazyAction } from '../src/actions/action.ts';
import { builtIn } from '../src/actions/built-in.ts';
import { loadConfig } from '../src/config/load-config.ts';
import type { Catalog } from '../src/integrations/catalog.ts';
import { startServer } from '../src/server.ts';

const text = z.strictObject({ text: z.string() });

const action = builtIn('bank', {
  name: 'bench.echo',
  effect: 'read',
  description: 'Responds from memory.',
  scopes: [],
  input: text,
  output: text,
  summary: () => 'Respond from memory',
  // Like every provider call, it begins with the account's token from the vault.
  async run(input, { userId, account }) {
    await steward.context.tokens.current(userId, account.grantId);
    return input;
  },
});

const catalog: Catalog = {
  revision: 'bench',
  agents: new Map(),
  actions: new Map([
    [
      action.name,
      {
        name: action.name,
        agent: 'bench',
        description: action.description,
        action: toLazyAction(action),
        policy: {
          enabled: true,
          approval: 'never',
          timeoutMs: 30_000,
          rate: { calls: Number.MAX_SAFE_INTEGER, perMs: 60_000 },
          allow: {},
          unmasked: false,
        },
        capBytes: 256 * 1024,
      },
    ],
  ]),
};

const steward = await startServer(loadConfig(), { catalog: () => catalog });
process.on('SIGTERM', () => void steward.stop().then(() => process.exit(0)));
