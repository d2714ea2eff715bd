import type { Action, ActionOutline, ActionSchemas, LazyAction } from './action.ts';

/** What can be told of an action without its code. */
export function outlineOf({
  name,
  provider,
  effect,
  description,
  scopes,
  timeoutMs,
  capBytes,
  allow,
  exposes,
  costs,
}: Action): ActionOutline {
  return {
    name,
    provider,
    effect,
    description,
    scopes,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(capBytes !== undefined && { capBytes }),
    lists: Object.keys(allow ?? {}),
    mayExpose: exposes !== undefined,
    ...(costs !== undefined && { mayCost: true }),
  };
}

/** How its input and output are shown. */
export function schemasOf({ input, output }: Action): ActionSchemas {
  return { input: input.jsonSchema, output: output.jsonSchema };
}

/** An action that is there already, in the form of those that are loaded when needed. */
export function loadedAlready(action: Action): LazyAction {
  return { ...outlineOf(action), schemas: async () => schemasOf(action), load: async () => action };
}
