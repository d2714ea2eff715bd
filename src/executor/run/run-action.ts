import type { Undo } from '../../actions/shared/action.ts';
import { isLabelled, labelsOf, type Source } from '../../actions/shared/labels.ts';
import { truncateOutput, truncationHint } from '../../actions/shared/truncate-output.ts';
import type { Clock } from '../../clock/clock.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import { wellFormed } from '../../validation/well-formed.ts';
import type { Storing } from '../audit/storing.ts';
import type { ActionRun } from '../call/action-run.ts';
import type { Call, CallResult } from '../call/call.ts';
import type { ContextReads } from '../taint/context-reads.ts';
import { readingOf, repeating, type Taints } from '../taint/taint.ts';
import { taintByError } from '../taint/taint-by-error.ts';
import type { WrittenItems } from '../taint/written-items.ts';

export interface RunActionDeps {
  clock: Clock;
  catalog(): Catalog;
  taints: Taints;
  reads: ContextReads;
  written: WrittenItems;
}

/** Does what needs the database; of a recorded run, until its time for that is over. */
type Attempt = <Result>(work: () => Promise<Result>) => Promise<Result>;

export interface RunOptions {
  /** Who receives the result: the call, and beside it the same of the user who has approved it; default: the call. */
  readers?: readonly Call[];
  /** For a run that is on record as started; undefined: the call fails if the database does. */
  storing?: Storing;
}

/**
 * Runs an action. Its output is validated, labelled and shortened to what the caller receives, and the contexts of those who
 * receive it remember that it was read. What a recorded run has given is known and returned, though the database is away
 * afterwards; not before what was written is remembered, or the time for that is over.
 *
 * @throws AppError what the action throws, `unavailable`; anything else for an output that isn't valid
 */
export async function runAction(
  deps: RunActionDeps,
  run: ActionRun,
  call: Call,
  { readers = [call], storing }: RunOptions = {},
): Promise<CallResult> {
  const { configured, account, startedAt } = call;
  const attempt: Attempt = (work) => storing?.retry(work) ?? work();
  // Before anything is sent. Without a statement to wait for, nothing waits.
  const readings = readers.map((reader) => readingOf(reader));
  for (const reading of readings) {
    const tainting = deps.taints.begin(reading);
    if (tainting !== undefined) await tainting;
  }
  let given: unknown;
  try {
    given = await run.output();
  } catch (error) {
    if (run.mayHaveRead) await attempt(() => taintByError(deps, run, call, readers, error));
    throw error;
  }
  const output = wellFormed(configured.action.output.parse(given) ?? null);
  // First: what it has written is there already, and others may read it.
  await storing?.store('what a change has written could not be remembered', () => deps.written.remember(call, run, output));
  const { provider, integrity, sources } = configured.action;
  const reported = sources?.(output, call.input);
  const marked = reported && (await mark(deps.written, call, reported, storing));
  const repeated = await attempt(async () => {
    const labels = await deps.written.labelsOfRead(call, run, output, reported);
    // Before anyone receives it.
    if (isLabelled(labels)) await Promise.all(readings.map((reading) => deps.taints.begin(repeating(reading, labels))));
    return labels;
  });
  const undo = await undoFor(deps, run, call, output, { readers, attempt });
  const labels = labelsOf(repeated.isTainted || undo?.isRead ? undefined : integrity, marked, provider === 'bank' || repeated.isFinancial);
  const { value, leftOut } = truncateOutput(output, call.capBytes);
  for (const reading of readings) deps.reads.record(reading, value, labels);
  const ms = Math.round(deps.clock.monotonic() - startedAt);
  const meta: CallResult['meta'] = { account: account.label, accountId: account.id, ms, labels };
  if (leftOut.length > 0) {
    meta.truncated = true;
    meta.hint = truncationHint(leftOut);
  }
  if (undo !== undefined) meta.undo = undo.undo;
  if (call.edited) meta.edited = true;
  return { data: value, meta };
}

/** The sources of a result, of which those are others' that a tainted context wrote; of a recorded run, all are if that can't be read. */
async function mark(
  written: WrittenItems,
  call: Call,
  sources: readonly Source[],
  storing: Storing | undefined,
): Promise<readonly Source[]> {
  if (storing === undefined) return written.mark(call, sources);
  return storing.retry(() => written.mark(call, sources)).catch(() => sources.map((source) => ({ ...source, integrity: 'others' })));
}

/**
 * The call that reverts a run. If it holds text that was read from the provider, the contexts of those who receive it
 * remember that; where they can't, it is not returned.
 */
async function undoFor(
  { catalog, taints }: RunActionDeps,
  run: ActionRun,
  call: Call,
  output: unknown,
  { readers, attempt }: { readers: readonly Call[]; attempt: Attempt },
): Promise<{ undo: Undo; isRead: boolean } | undefined> {
  if (run.undo === undefined) return undefined;
  const { holdsReadText, undoOf } = await import('./undo.ts');
  const undo = undoOf(run.undo, call, catalog());
  if (undo === undefined) return undefined;
  if (call.configured.action.integrity !== 'own' || !holdsReadText(undo, call.input, output)) return { undo, isRead: false };
  const areTainted = await attempt(() => Promise.all(readers.map((reader) => taints.failed(reader, false)))).then(
    () => true,
    () => false,
  );
  return areTainted ? { undo, isRead: true } : undefined;
}
