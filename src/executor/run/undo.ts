import type { Undo } from '../../actions/shared/action.ts';
import { namesIn, quotedUpTo } from '../../actions/shared/display-text.ts';
import type { Catalog, ConfiguredAction } from '../../integrations/catalog.ts';
import { textsIn } from '../../validation/texts-in.ts';
import { wellFormed } from '../../validation/well-formed.ts';
import type { Call } from '../call/call.ts';

/** Ids that providers give, and words of ours. */
const ID = /^[\w-]{1,1024}$/;
/** Names are from the beginning of texts. */
const MAX_NAME = 4_000;

/** The call that reverts a run, by the name that the file in force gives to its action; undefined: it has no such action. */
export function undoOf(undo: Undo, { configured }: Call, { actions }: Catalog): Undo | undefined {
  const isUndo = ({ action, policy }: ConfiguredAction) => action.name === undo.action && policy.enabled;
  const able = [...actions.values()].filter(isUndo);
  const found = able.find(({ agent }) => agent === configured.agent) ?? able[0];
  return found && wellFormed({ ...undo, action: found.name });
}

/**
 * Whether an undo holds text that was read from the provider: neither the caller has given it, nor is it in the result, whose
 * labels then tell whose it is.
 *
 * @param input the call's
 */
export function holdsReadText({ input: arguments_, summary }: Undo, input: unknown, output: unknown): boolean {
  const known = [...textsIn(input), ...textsIn(output)].map(({ text }) => text);
  const given = new Set(known);
  if (textsIn(arguments_).some(({ text }) => !given.has(text) && !ID.test(text))) return true;
  const names = namesIn(summary);
  const shown = names.length === 0 ? [] : known.map((text) => quotedUpTo(text.slice(0, MAX_NAME), MAX_NAME));
  return names.some((name) => !shown.some((text) => text.includes(name)));
}
