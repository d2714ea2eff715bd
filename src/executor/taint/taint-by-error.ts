import { AppError } from '../../errors.ts';
import type { ActionRun } from '../call/action-run.ts';
import type { Call } from '../call/call.ts';
import type { Taints } from './taint.ts';
import type { WrittenItems } from './written-items.ts';

/**
 * Taints the contexts of those who receive the error of a call that has asked the provider.
 *
 * @throws AppError `unavailable`
 */
export async function taintByError(
  { taints, written }: { taints: Taints; written: WrittenItems },
  run: ActionRun,
  call: Call,
  readers: readonly Call[],
  error: unknown,
): Promise<void> {
  const { isFinancial } = await written.labelsOfRead(call, run, error instanceof AppError ? error.details : undefined);
  await Promise.all(readers.map((reader) => taints.failed(reader, isFinancial)));
}
