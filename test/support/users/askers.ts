import { newToken } from '../scenes/mcp-scene.ts';
import type { TestSteward } from '../steward.ts';
import { callAction } from './agents.ts';
import { McpClient } from './mcp-client.ts';
import { newThread } from './new-thread.ts';

/** A surface on which actions are called, as one that asks for approval sees it. */
export interface Asker {
  /** @returns the error's code, or `done`; with the id of the approval that it asked for */
  call(action: string, input: object): Promise<{ outcome: string; approvalId: string }>;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Clients of a user on each surface, and the assistant in a thread. Each is a context of its own. */
export const ASKERS: Record<string, (steward: TestSteward, token: string) => Promise<Asker>> = {
  async http(steward, user) {
    const { token } = await newToken(steward, { token: user });
    return {
      async call(action, input) {
        const { status, body } = await steward.call(`/agents/${action}`, { token, body: JSON.stringify(input), headers: JSON_TYPE });
        return status === 200 ? done() : failed(body.code, body.details ?? body);
      },
    };
  },
  async 'in person'(steward, token) {
    return {
      call: (action, input) => callAction(steward, action, input, { token }).then(done, ({ code, details }) => failed(code, details)),
    };
  },
  async socket(steward, user) {
    const { token } = await newToken(steward, { token: user });
    return {
      call: (action, input) => callAction(steward, action, input, { token }).then(done, ({ code, details }) => failed(code, details)),
    };
  },
  async mcp(steward, user) {
    const client = new McpClient(steward, (await newToken(steward, { token: user })).token);
    return {
      async call(action, input) {
        const { message } = await client.call(action.replace('.', '_'), input);
        const { error } = message.result?.structuredContent ?? message;
        return error === undefined ? done() : failed(error.code, error.details);
      },
    };
  },
  async assistant(steward, user) {
    const { userId } = await steward.context.sessions.authenticate(user);
    const thread = await newThread(steward, userId);
    const { signal } = new AbortController();
    return {
      call: (action, input) =>
        steward.context.executor
          .invoke({ user: { userId }, surface: 'assistant', thread, action, input, signal })
          .then(done, ({ code, details }) => failed(code, details)),
    };
  },
};

/** The user's decision. @returns the status of the response */
export async function approve(steward: TestSteward, token: string, approvalId: string): Promise<number> {
  const body = JSON.stringify({ approved: true });
  return (await steward.call(`/approvals/${approvalId}`, { token, body, headers: JSON_TYPE })).status;
}

const done = () => ({ outcome: 'done', approvalId: '' });
const failed = (code: unknown, details: { approvalId?: unknown } | undefined) => ({
  outcome: String(code),
  approvalId: String(details?.approvalId ?? ''),
});
