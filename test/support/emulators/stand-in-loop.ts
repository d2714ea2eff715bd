import { randomUUID } from 'node:crypto';
import { linkBank } from '../scenes/flows.ts';
import type { TestSteward } from '../steward.ts';
import { eventually } from '../time/eventually.ts';
import { newPerson } from './workspace-content.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const MOST_STEPS = 12;

/** A call of the stand-in, and how the service answered. */
export interface LoopCall {
  tool: string;
  args: any;
  status: number;
  body: any;
}

export interface Turn {
  /** The calls of each step. */
  steps: LoopCall[][];
  /** All calls, in order. */
  calls: LoopCall[];
  answer: string;
}

export interface ConversationOptions {
  /** Whether the user has a bank; by default, one. */
  bank?: boolean;
  /** Connects more, for the user with this ID token. */
  connect?(token: string): Promise<void>;
}

/** A conversation of a new user with the sandbox's stand-in, whose calls run at the service with a token of its own. */
export async function startConversation(steward: TestSteward, { bank = true, connect }: ConversationOptions = {}) {
  const person = await newPerson(steward);
  if (bank) await linkBank(steward, person.token);
  await connect?.(person.token);
  const form = JSON.stringify({ name: randomUUID(), actions: ['*'], access: 'write' });
  const { token } = (await steward.call('/tokens', { token: person.token, body: form, headers: JSON_TYPE })).body;
  // The aggregator fetches a bank's data after it was linked. Read in another context: the token's has read nothing.
  if (bank) await eventually(async () => (await post('/agents/bank_transactions', person.token, {})).status === 200);
  const { tools } = (await steward.call('/tools?format=openai', { token })).body;
  const messages: object[] = [];

  function post(path: string, credential: string, body: object) {
    return steward.call(path, { token: credential, body: JSON.stringify(body), headers: JSON_TYPE });
  }

  async function complete() {
    const { status, body, text } = await steward.call('/sandbox/model/v1/chat/completions', {
      body: JSON.stringify({ model: 'stand-in', messages, tools }),
      headers: JSON_TYPE,
    });
    if (status !== 200) throw new Error(`the stand-in: ${status} ${text}`);
    return body.choices[0].message;
  }

  async function run(call: any, decide: 'approve' | 'leave'): Promise<LoopCall> {
    const { name: tool, arguments: given } = call.function;
    const args = JSON.parse(given);
    let { status, body } = await post(`/agents/${tool}`, token, args);
    if (body.code === 'approval_required' && decide === 'approve') {
      ({ status, body } = await post(`/approvals/${body.details.approvalId}`, person.token, { approved: true }));
    }
    const content = status === 200 ? JSON.stringify(body) : `${body.code}: ${body.message}`;
    messages.push({ role: 'tool', tool_call_id: call.id, content });
    return { tool, args, status, body };
  }

  return {
    person,
    /** One message of the user, with all steps up to the stand-in's answer. */
    async say(said: string, decide: 'approve' | 'leave' = 'approve'): Promise<Turn> {
      messages.push({ role: 'user', content: said });
      const steps: LoopCall[][] = [];
      for (;;) {
        const message = await complete();
        messages.push(message);
        if (message.tool_calls === undefined) return { steps, calls: steps.flat(), answer: message.content };
        if (steps.length === MOST_STEPS) throw new Error(`no answer to ${said} after ${MOST_STEPS} steps`);
        steps.push(await Promise.all(message.tool_calls.map((call: any) => run(call, decide))));
      }
    },
  };
}
