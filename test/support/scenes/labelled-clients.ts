import type { AppError } from '../../../src/errors.ts';
import type { TestSteward } from '../steward.ts';
import { callAction } from '../users/agents.ts';
import { linkBank } from './flows.ts';
import { newToken } from './mcp-scene.ts';

export type ClientCall = (action: string, input: object) => Promise<any>;

/** A client of the user's with a context of its own. */
export async function newClientCall(steward: TestSteward, user: { token: string }): Promise<ClientCall> {
  const { token } = await newToken(steward, user);
  return (action, input) => callAction(steward, action, input, { token });
}

/** Two clients of a user, of which the first has read a bank's data. */
export async function financialAndOther(
  steward: TestSteward,
  user: { token: string },
): Promise<{ financial: ClientCall; other: ClientCall }> {
  await linkBank(steward, user.token);
  const [financial, other] = [await newClientCall(steward, user), await newClientCall(steward, user)];
  await financial('bank.balances', {});
  return { financial, other };
}

/** How a call ends: `done`, or the error's code. */
export function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'done',
    ({ code }: AppError) => code,
  );
}
