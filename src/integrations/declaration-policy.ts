import type { ActionOutline } from '../actions/shared/action.ts';
import { didYouMean } from '../validation/nearest-name.ts';
import type { ApprovalRule, Policy } from './catalog.ts';
import type { DefaultPolicy, PolicyDeclaration } from './file/declaration.ts';
import { bytesOf, durationMs, rateOf } from './file/declaration-quantities.ts';
import type { Diagnostics } from './file/diagnostics.ts';

const LONGEST_MS = 60_000;
const USUAL_MS = 30_000;
const USUAL_RATE = '60/min';
const USUAL_CAP_BYTES = 256_000;
/** Of declared actions. */
export const MOST_CAP_BYTES = 1_000_000;
/** The only action with numbers to mask. */
const MASKED_ACTION = 'bank.numbers';

/** The policy of an action: as declared, else the file's defaults, within the action's own bounds. */
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
    tainted: declared.tainted ?? defaults.tainted ?? 'ask',
    financial: declared.financial ?? defaults.financial ?? 'ask',
    timeoutMs: timeoutOf(action, declared, defaults, diagnostics.under('timeout')),
    rate: rateOf(declared.rate ?? defaults.rate ?? USUAL_RATE),
    allow: declared.allow ?? {},
    unmasked: declared.mask === false,
  };
}

/** Largest output of an action, bytes of JSON. @param most of a declared action; a built-in one has its own limit */
export function resolveCap(
  { capBytes = USUAL_CAP_BYTES }: ActionOutline,
  declared: string | undefined,
  diagnostics: Diagnostics,
  most = capBytes,
): number {
  if (declared === undefined) return capBytes;
  const bytes = bytesOf(declared);
  if (bytes > most) diagnostics.inValue(`exceeds this action’s maximum of ${Math.floor(most / 1000)}kB`);
  return bytes;
}

function approvalOf(action: ActionOutline, declared: PolicyDeclaration, defaults: DefaultPolicy, diagnostics: Diagnostics): ApprovalRule {
  if (action.asksAlways) {
    if (declared.approval !== undefined && declared.approval !== 'always')
      diagnostics.inValue('each call of this action asks the user: set always, or leave it out');
    return 'always';
  }
  const destructive = action.effect === 'destructive';
  if (destructive && declared.approval === 'never')
    diagnostics.inValue('a destructive action always needs approval: set destructive or always');
  if (declared.approval !== undefined) return destructive && declared.approval === 'never' ? 'destructive' : declared.approval;
  const rule = defaults.approval ?? 'destructive';
  // Only the action's own policy may waive approval of what reaches other people, not the defaults.
  return rule === 'never' && (destructive || action.mayExpose) ? 'destructive' : rule;
}

function timeoutOf(action: ActionOutline, declared: PolicyDeclaration, defaults: DefaultPolicy, diagnostics: Diagnostics): number {
  const longest = Math.min(action.timeoutMs ?? LONGEST_MS, LONGEST_MS);
  if (declared.timeout === undefined) {
    const usual = defaults.timeout === undefined ? (action.timeoutMs ?? USUAL_MS) : durationMs(defaults.timeout);
    return Math.min(usual, longest);
  }
  const ms = durationMs(declared.timeout);
  if (ms > longest) diagnostics.inValue(`exceeds this action’s maximum of ${longest / 1000}s`);
  return ms;
}

/** An allow-list that the action doesn't check would look like protection. Which a tool of a source has, a call finds. */
function checkAllow({ lists, pinned }: ActionOutline, declared: PolicyDeclaration, diagnostics: Diagnostics): void {
  if (pinned !== undefined) return;
  for (const name of Object.keys(declared.allow ?? {})) {
    if (lists.includes(name)) continue;
    const choices = lists.length === 0 ? 'it has none' : `it has ${lists.map((one) => `“${one}”`).join(', ')}`;
    diagnostics.under(name).inKey(`is not an allow-list of this action: ${choices}${didYouMean(name, lists)}`);
  }
}
