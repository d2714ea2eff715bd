import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Undo } from '../actions/action.ts';
import { isLabelled, labelsOf } from '../actions/labels.ts';
import { truncateOutput } from '../actions/truncate-output.ts';
import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors.ts';
import type { Catalog } from '../integrations/catalog.ts';
import { isLargeValue } from '../validation/large-value.ts';
import type { ActionRun } from './action-run.ts';
import type { Call, CallResult } from './call.ts';
import type { ContextReads } from './context-reads.ts';
import { readingOf, repeating, type Taints } from './taint.ts';
import { holdsReadText, undoOf } from './undo.ts';
import type { WrittenItems } from './written-items.ts';

export interface RunActionDeps {
  clock: Clock;
  catalog(): Catalog;
  taints: Taints;
  reads: ContextReads;
  written: WrittenItems;
}

/**
 * Runs an action. Its output is validated, labelled and shortened to what the caller receives, and the contexts of those who
 * receive it remember that it was read.
 *
 * @param readers the call, and beside it the same of the user who has approved it
 * @throws AppError what the action throws, `unavailable`; anything else for an output that isn't valid
 */
export async function runAction(deps: RunActionDeps, run: ActionRun, call: Call, readers: readonly Call[] = [call]): Promise<CallResult> {
  const { configured, account, startedAt } = call;
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
    if (run.mayHaveRead) await failed(deps, run, call, readers, error);
    throw error;
  }
  const output = configured.action.output.parse(given) ?? null;
  const isLarge = isLargeValue(output);
  if (isLarge) await nextTurn();
  const { provider, integrity, sources } = configured.action;
  const told = sources?.(output, call.input);
  const marked = told && (await deps.written.mark(call, told));
  const repeated = await deps.written.labelsOfRead(call, run, output, told);
  // Before anyone receives it.
  if (isLabelled(repeated)) await Promise.all(readings.map((reading) => deps.taints.begin(repeating(reading, repeated))));
  const undo = await undoFor(deps, run, call, output, readers);
  const labels = labelsOf(repeated.isTainted || undo?.isRead ? undefined : integrity, marked, provider === 'bank' || repeated.isFinancial);
  const { value, truncated } = truncateOutput(output, configured.capBytes);
  if (isLarge) await nextTurn();
  for (const reading of readings) deps.reads.record(reading, value, labels);
  // It is sent next.
  if (isLarge) await nextTurn();
  const ms = Math.round(deps.clock.monotonic() - startedAt);
  const meta: CallResult['meta'] = { account: account.label, accountId: account.id, ms, labels };
  if (truncated) meta.truncated = true;
  if (undo !== undefined) meta.undo = undo.undo;
  if (call.edited) meta.edited = true;
  return { data: value, meta };
}

/**
 * Taints the contexts of those who receive the error of a call that has asked the provider.
 *
 * @throws AppError `unavailable`
 */
export async function failed(
  { taints, written }: Pick<RunActionDeps, 'taints' | 'written'>,
  run: ActionRun,
  call: Call,
  readers: readonly Call[],
  error: unknown,
): Promise<void> {
  const { isFinancial } = await written.labelsOfRead(call, run, error instanceof AppError ? error.details : undefined);
  await Promise.all(readers.map((reader) => taints.failed(reader, isFinancial)));
}

/**
 * The call that reverts a run. If it holds text that was read from the provider, the contexts of those who receive it
 * remember that; where they can't, nobody receives it.
 */
async function undoFor(
  { catalog, taints }: RunActionDeps,
  run: ActionRun,
  call: Call,
  output: unknown,
  readers: readonly Call[],
): Promise<{ undo: Undo; isRead: boolean } | undefined> {
  const undo = undoOf(run, call, catalog());
  if (undo === undefined) return undefined;
  if (call.configured.action.integrity !== 'own' || !holdsReadText(undo, call.input, output)) return { undo, isRead: false };
  const areTainted = await Promise.all(readers.map((reader) => taints.failed(reader, false))).then(
    () => true,
    () => false,
  );
  return areTainted ? { undo, isRead: true } : undefined;
}
