import type { Action, ActionOutline, LazyAction } from './action.ts';

/** What can be told of an action without its code. */
export function outlineOf({ name, provider, effect, description, scopes, timeoutMs, capBytes, allow, reaches }: Action): ActionOutline {
  return {
    name,
    provider,
    effect,
    description,
    scopes,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(capBytes !== undefined && { capBytes }),
    lists: Object.keys(allow ?? {}),
    mayReach: reaches !== undefined,
  };
}

/** An action that is there already, in the form of those that are loaded when needed. */
export function loadedAlready(action: Action): LazyAction {
  return { ...outlineOf(action), load: async () => action };
}
