import { isObject } from '../../validation/is-object.ts';
import type { Invocation } from '../call/call.ts';

/** The property of a tool's arguments that selects the account. */
export const ACCOUNT_ARGUMENT = 'account';

/** Whether the action has an argument of this name itself, which then is not the account's. */
export function hasOwnAccount(inputSchema: object): boolean {
  const { properties } = inputSchema as { properties?: unknown };
  return isObject(properties) && Object.hasOwn(properties, ACCOUNT_ARGUMENT);
}

/**
 * A call under the name of a model's tool: its arguments may name the account, which is no argument of the action.
 * An account that the caller selects apart from the arguments takes precedence over the model's.
 *
 * @param inputSchema JSON Schema of the action's input
 */
export function withoutAccount<Given extends Pick<Invocation, 'account' | 'input'>>(invocation: Given, inputSchema: object): Given {
  const { input } = invocation;
  if (!isObject(input) || !Object.hasOwn(input, ACCOUNT_ARGUMENT) || hasOwnAccount(inputSchema)) return invocation;
  const { [ACCOUNT_ARGUMENT]: named, ...rest } = input;
  const isAbsent = named === null || named === undefined || named === '';
  // A name of another type stays an argument, which the action rejects.
  if (!isAbsent && typeof named !== 'string') return invocation;
  return { ...invocation, input: rest, ...(!isAbsent && { account: invocation.account ?? named }) };
}
