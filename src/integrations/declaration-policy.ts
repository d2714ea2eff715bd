import type { ActionOutline } from '../actions/action.ts';
import { didYouMean } from '../validation/nearest-name.ts';
import type { ApprovalRule, Policy } from './catalog.ts';
import type { DefaultPolicy, PolicyDeclaration } from './declaration.ts';
import type { Diagnostics } from './declaration-diagnostics.ts';
import { bytesOf, durationMs, rateOf } from './declaration-units.ts';

const LONGEST_MS = 60_000;
const USUAL_MS = 30_000;
const USUAL_RATE = '60/min';
const USUAL_CAP_BYTES = 256_000;
/** The one action that has something to mask. */
const MASKED_ACTION = 'bank.numbers';

/** The policy of one action: what it declares, else the file's defaults, within the bounds the action itself sets. */
export function resolvePolicy(
  action: ActionOutline,
  declared: PolicyDeclaration,
  defaults: DefaultPolicy,
  diagnostics: Diagnostics,
): Policy {
  checkAllow(action, declared, diagnostics.under('allow'));
  if (declared.mask !== undefined && action.name !== MASKED_ACTION) diagnostics.under('mask').inKey(`is for ${MASKED_ACTION} only`);
  return {
    enabled: declared.enabled ?? true,
    approval: approvalOf(action, declared, defaults, diagnostics.under('approval')),
    timeoutMs: timeoutOf(action, declared, defaults, diagnostics.under('timeout')),
    rate: rateOf(declared.rate ?? defaults.rate ?? USUAL_RATE),
    allow: declared.allow ?? {},
    unmasked: declared.mask === false,
  };
}

/** Largest output, bytes of JSON: where nothing is declared, and at most. */
interface Cap {
  usual: number;
  most: number;
}

/** A declared method's answer has the size its author expects. */
export const DECLARED_CAP: Cap = { usual: USUAL_CAP_BYTES, most: 1_000_000 };

/** A built-in action knows what it needs. */
export function usualCap({ capBytes = USUAL_CAP_BYTES }: ActionOutline): Cap {
  return { usual: capBytes, most: capBytes };
}

export function resolveCap(declared: string | undefined, { usual, most }: Cap, diagnostics: Diagnostics): number {
  if (declared === undefined) return usual;
  const bytes = bytesOf(declared);
  if (bytes > most) diagnostics.inValue(`is more than this action gives (${Math.floor(most / 1000)}kB)`);
  return bytes;
}

function approvalOf(action: ActionOutline, declared: PolicyDeclaration, defaults: DefaultPolicy, diagnostics: Diagnostics): ApprovalRule {
  const destructive = action.effect === 'destructive';
  if (destructive && declared.approval === 'never') diagnostics.inValue('a destructive action always asks: say destructive or always');
  if (declared.approval !== undefined) return destructive && declared.approval === 'never' ? 'destructive' : declared.approval;
  const rule = defaults.approval ?? 'destructive';
  // What reaches other people goes unasked only by a word about that very action.
  return rule === 'never' && (destructive || action.mayExpose) ? 'destructive' : rule;
}

function timeoutOf(action: ActionOutline, declared: PolicyDeclaration, defaults: DefaultPolicy, diagnostics: Diagnostics): number {
  const longest = Math.min(action.timeoutMs ?? LONGEST_MS, LONGEST_MS);
  if (declared.timeout === undefined) {
    const usual = defaults.timeout === undefined ? (action.timeoutMs ?? USUAL_MS) : durationMs(defaults.timeout);
    return Math.min(usual, longest);
  }
  const ms = durationMs(declared.timeout);
  if (ms > longest) diagnostics.inValue(`is more than this action may take (${longest / 1000}s)`);
  return ms;
}

/** A list that nothing is held against would look like protection. */
function checkAllow({ lists }: ActionOutline, declared: PolicyDeclaration, diagnostics: Diagnostics): void {
  for (const name of Object.keys(declared.allow ?? {})) {
    if (lists.includes(name)) continue;
    const choices = lists.length === 0 ? 'it has none' : `it has ${lists.map((one) => `“${one}”`).join(', ')}`;
    diagnostics.under(name).inKey(`is no allow-list of this action: ${choices}${didYouMean(name, lists)}`);
  }
}
