import {
  type GetPromptRequest,
  type GetPromptResult,
  type ListPromptsResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { halfOrNulProblem } from '../validation/well-formed.ts';
import type { McpClient, McpDeps } from './mcp-deps.ts';
import { permittedActions } from './permitted-actions.ts';

interface Prompt {
  name: string;
  title: string;
  description: string;
  /** Built-in actions without which it makes no sense. */
  needs: readonly string[];
  /** An optional argument. */
  argument?: { name: string; description: string };
  text(value: string | undefined): string;
}

const PROMPTS: readonly Prompt[] = [
  {
    name: 'plan_my_week',
    title: 'Plan my week',
    description: 'What is in the calendar, what is open in the mail, and where there is time for it.',
    needs: ['calendar.list', 'mail.search'],
    argument: { name: 'focus', description: 'What matters most this week.' },
    text: (focus) =>
      `Plan my next seven days. Read my calendar, find in my mail of the last days what I have to prepare, answer or decide, and propose when to do it, in the gaps between events. ${focus === undefined ? '' : `What matters most: ${focus}. `}Show the plan day by day, with what each item rests on. Create nothing before I agree.`,
  },
  {
    name: 'what_needs_an_answer',
    title: 'What needs an answer?',
    description: 'Mail that waits for the user, the most urgent first, with a proposal for each.',
    needs: ['mail.search', 'mail.read'],
    text: () =>
      'Which of my unread and recent mails need an answer from me? Leave out newsletters, notifications and threads in which I have written last. List the rest, the most urgent first: who, what they want, until when, and what I could answer in two sentences. Send nothing and save no drafts before I agree.',
  },
  {
    name: 'prepare_a_meeting',
    title: 'Prepare a meeting',
    description: 'Who comes, what was written about it, and which files belong to it.',
    needs: ['calendar.list', 'mail.search'],
    argument: { name: 'meeting', description: 'Which one; left out: the next.' },
    text: (meeting) =>
      `Prepare me for ${meeting === undefined ? 'my next meeting' : `this meeting: ${meeting}`}. Find the event, say when and where it is and who takes part, summarize what I have exchanged with them about it by mail, and name the files that belong to it. End with three points that I should raise.`,
  },
  {
    name: 'where_did_my_money_go',
    title: 'Where did my money go?',
    description: 'Spending of the last month by kind, beside the month before.',
    needs: ['bank.spending'],
    text: () =>
      'What did I spend money on in the last 30 days, by category, beside the 30 days before? Name what changed most, subscriptions that I might not need, and anything that looks like a mistake.',
  },
];

const MAX_VALUE = 500;

/** Those for which the client has what they need. */
export async function listPrompts(
  deps: Pick<McpDeps, 'catalog' | 'executor' | 'providers'>,
  client: McpClient,
): Promise<ListPromptsResult> {
  const permitted = await permittedActions(deps, client);
  const useful = PROMPTS.filter(({ needs }) => needs.every((action) => permitted.has(action)));
  return {
    prompts: useful.map(({ name, title, description, argument }) => ({
      name,
      title,
      description,
      ...(argument !== undefined && { arguments: [{ ...argument, required: false }] }),
    })),
  };
}

/** @throws ProtocolError for one that isn't listed, or arguments that it doesn't have */
export async function getPrompt(
  deps: Pick<McpDeps, 'catalog' | 'executor' | 'providers'>,
  client: McpClient,
  { name, arguments: given = {} }: GetPromptRequest['params'],
): Promise<GetPromptResult> {
  const listed = (await listPrompts(deps, client)).prompts.some((prompt) => prompt.name === name);
  const prompt = listed ? PROMPTS.find((one) => one.name === name) : undefined;
  if (prompt === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such prompt.');
  const unknown = Object.keys(given).find((key) => key !== prompt.argument?.name);
  const value = prompt.argument && given[prompt.argument.name];
  if (unknown !== undefined || (value?.length ?? 0) > MAX_VALUE || (value !== undefined && halfOrNulProblem(value) !== undefined)) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'These are not the prompt’s arguments.');
  }
  const text = prompt.text(value === '' ? undefined : value);
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}
