import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadBuiltIns } from '../../../src/actions/built-ins.ts';
import type { Catalog } from '../../../src/integrations/catalog.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { SocketClient } from '../../support/users/socket-client.ts';

const loaded: string[] = [];
let folder: string;
let file: string;
let steward: TestSteward;

/** The same actions, which report when their code is loaded. */
function watched(catalog: Catalog): Catalog {
  const agents = [...catalog.agents].map(([name, agent]) => {
    const actions = agent.actions.map((configured) => {
      const load = () => {
        loaded.push(configured.name);
        return configured.action.load();
      };
      return { ...configured, action: { ...configured.action, load } };
    });
    return [name, { ...agent, actions }] as const;
  });
  return { ...catalog, agents: new Map(agents) };
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steward-list-'));
  file = join(folder, 'integrations.yaml');
  copyFileSync('integrations.yaml', file);
  steward = await startSteward({ INTEGRATIONS_FILE: file }, { catalog: watched });
});

afterAll(async () => {
  await steward.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function list(): Promise<{ revision: string; agents: { name: string; actions: Record<string, unknown>[] }[] }> {
  const client = await SocketClient.signedIn(steward.url, await steward.signIn());
  const { data } = await client.request({ type: 'list' });
  await client.close();
  return data;
}

describe('a list', () => {
  it('loads no action’s code and builds no schema, neither the first time nor after a reload', async () => {
    const first = await list();
    writeFileSync(file, `${readFileSync(file, 'utf8')}# changed\n`);
    expect((await steward.updateIntegrations()).status).toBe(200);
    const second = await list();
    expect(loaded).toEqual([]);
    expect(second.revision).not.toBe(first.revision);
    expect(second.agents).toEqual(first.agents);
  });

  it('shows every built-in action with the schemas that its code has', async () => {
    const shown = (await list()).agents.flatMap(({ actions }) => actions);
    const actions = await loadBuiltIns();
    expect(shown).toHaveLength(actions.length);
    for (const { name, effect, input, output } of actions) {
      expect(shown.find((one) => one.name === name)).toMatchObject({ effect, input: input.jsonSchema, output: output.jsonSchema });
    }
  });

  it('shows a declared action with its own schemas', async () => {
    const declared =
      '{ call: drive.files.list, description: X., effect: read, input: { type: object, properties: { q: { type: string } } }, with: { q: $input.q } }';
    writeFileSync(
      file,
      `version: 1\nagents:\n  d: { provider: workspace, description: D., scopes: [drive], actions: { x: ${declared}, y: { use: drive.info } } }\n`,
    );
    expect((await steward.updateIntegrations()).status).toBe(200);
    const { agents } = await list();
    expect(agents[0]?.actions).toEqual([
      expect.objectContaining({
        name: 'd.x',
        input: { type: 'object', properties: { q: { type: 'string' } }, additionalProperties: false },
        output: {},
      }),
      expect.objectContaining({ name: 'd.y', input: expect.objectContaining({ type: 'object' }) }),
    ]);
  });
});
