import type { Outcome } from '../../src/agents/executor.ts';
import type { TestSteward } from './steward.ts';

export interface ActionCallOptions {
  /** ID token of the caller; default a fresh one of `demo`. */
  token?: string;
  /** Id or label; default the user's default account. */
  account?: string;
  idempotencyKey?: string;
}

/** Runs an action as a user would; rejects with the error that the caller would be shown. */
export async function callAction(
  steward: TestSteward,
  action: string,
  input: unknown = {},
  options: ActionCallOptions = {},
): Promise<Outcome> {
  const user = await steward.context.sessions.authenticate(options.token ?? (await steward.signIn()));
  return steward.context.executor.invoke({
    user,
    surface: 'socket',
    action,
    input,
    signal: new AbortController().signal,
    ...(options.account !== undefined && { account: options.account }),
    ...(options.idempotencyKey !== undefined && { idempotencyKey: options.idempotencyKey }),
  });
}
