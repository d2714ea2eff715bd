import { z } from 'zod';
import { type Action, type Definition, type RunContext, toLazyAction } from '../../../src/actions/shared/action.ts';
import { builtIn } from '../../../src/actions/shared/built-in.ts';
import { AppError } from '../../../src/errors.ts';
import type { Catalog, ConfiguredAction, Policy } from '../../../src/integrations/catalog.ts';
import { UNRESTRICTED } from '../../support/inputs/unrestricted-policy.ts';

const NOTHING = z.strictObject({});
const ANYTHING = z.looseObject({});

/** Tools that call for the user's approval: with a client that can show a page, they ask for it. */
export const ASKING = /^test_input_required_result_/;

/** The tools that the conformance suite calls by name, as far as an action can be one: a result is a JSON object. */
export function fixtureActions(listChanged: () => Promise<void>): Action[] {
  return [
    read('simple_text', async () => ({ text: 'This is a simple text response for testing.' })),
    read('error_handling', async () => {
      throw new AppError('provider_error', 'This tool intentionally returns an error for testing.');
    }),
    read('tool_with_progress', async (context) => {
      for (const step of ['started', 'half done', 'done']) context.progress(step);
      return {};
    }),
    // Their point is what a server must not send beside the result.
    read('logging_tool', async () => ({})),
    read('streaming_elicitation', async () => ({})),
    read('trigger_tool_change', async () => {
      await listChanged();
      return {};
    }),
    change('input_required_result_elicitation'),
    change('input_required_result_request_state'),
    change('input_required_result_tampered_state'),
  ];
}

/** The file's catalog with these actions in it; those that change something ask each time. */
export function withFixtures(loaded: Catalog, fixtures: readonly Action[]): Catalog {
  const own = fixtures.map((action): ConfiguredAction => {
    const { name, description, effect } = action;
    const policy: Policy = { ...UNRESTRICTED, approval: effect === 'read' ? 'never' : 'always' };
    return {
      name,
      tool: name.replace('.', '_'),
      agent: 'test',
      description,
      action: toLazyAction(action),
      policy,
      capBytes: 65_536,
      revision: 'r1',
    };
  });
  return {
    ...loaded,
    actions: new Map([...loaded.actions, ...own.map((one) => [one.name, one] as const)]),
    tools: new Map([...loaded.tools, ...own.map((one) => [one.tool, one.name] as const)]),
  };
}

function read(name: string, run: (context: RunContext<'workspace'>) => Promise<Record<string, unknown>>): Action {
  return fixture(name, { effect: 'read', run: (_input, context) => run(context) });
}

function change(name: string): Action {
  return fixture(name, { effect: 'write', run: async () => ({}) });
}

type Fixture = Definition<typeof NOTHING, typeof ANYTHING, 'workspace', undefined>;

function fixture(name: string, part: Pick<Fixture, 'effect' | 'run'>): Action {
  return builtIn('workspace', {
    name: `test.${name}`,
    description: 'A fixture of the conformance suite.',
    scopes: [],
    integrity: 'own',
    input: NOTHING,
    output: ANYTHING,
    summary: () => name,
    ...part,
  });
}
