import { z } from 'zod';
import { triggerWords } from '../../../public/language/en/automation-words.js';
import { Formatter } from '../../../public/language/formatter.js';
import { AppError } from '../../errors.ts';
import { hashOf } from '../../providers/shared/version-hash.ts';
import type { CheckedProposal } from '../../providers/steward/automation-proposals.ts';
import type { RunContext } from '../shared/action.ts';
import { assertUnchanged } from '../shared/as-shown.ts';
import { builtIn } from '../shared/built-in.ts';
import { insideQuotes, quoted } from '../shared/display-text.ts';
import { definitionOf, type ProposalInput, proposalInput } from './proposal-input.ts';

export const proposeAutomation = builtIn('steward', {
  name: 'automations.propose',
  effect: 'write',
  description: 'Propose an automation: what is done at a time, or when something happens. The user decides whether it is made.',
  scopes: [],
  asksAlways: true,
  integrity: 'own',
  input: proposalInput,
  output: z.object({ id: z.string().describe('Id of the automation.'), name: z.string() }),
  facts: check,
  version: versionOf,
  summary: ({ name }) => `Make the automation ${quoted(name)}`,
  preview: async ({ name }, context, checked) => `Make the automation ${quoted(name)}: ${await words(checked, context)}`,
  shown: (_input, automation) => ({ automation }),
  async run(input, context) {
    const checked = await check(input, context);
    assertUnchanged(context.version, 'actions, accounts', versionOf(checked));
    const { id } = await context.session.createAutomation(checked.automation);
    return { id, name: checked.automation.name };
  },
});

export const automationsActions = [proposeAutomation];

async function check(input: ProposalInput, { session, timeZone }: RunContext<'steward'>): Promise<CheckedProposal> {
  try {
    return await session.checkAutomation(definitionOf(input, await timeZone()));
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'invalid_request')) throw error;
    // The arguments are flat.
    const { code, message, details } = error;
    throw new AppError(code, message.replace(/^(?:trigger|does)\.(?:filter\.)?/, ''), { details, cause: error });
  }
}

/** Of all that was shown and isn't in the arguments: what may be called, and with which accounts; the user's own zone. */
function versionOf({ automation: { trigger, accounts }, permits, labels }: CheckedProposal): string {
  return hashOf([permits, labels, accounts, trigger.type === 'schedule' && trigger.time_zone]);
}

async function words({ automation, labels }: CheckedProposal, { timeZone }: RunContext<'steward'>): Promise<string> {
  const formatter = new Formatter({ timeZone: (await timeZone()) ?? 'UTC' });
  return triggerWords(automation.trigger, { formatter, nameOf: (id) => labels[id], quoted: insideQuotes });
}
