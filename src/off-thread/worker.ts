import { AppError, type AppErrorOptions, type ErrorCode } from '../errors.ts';
import { findWorkerTask } from './worker-task.ts';

/** A task of a worker thread. */
export interface WorkOrder {
  module: string;
  name: string;
  input: unknown;
}

/** How it ended. Errors of ours lose their class and code on the way between threads, so they go as data. */
export type WorkOutcome = { output: unknown } | { refusal: { code: ErrorCode; message: string; cause: string | undefined } & Facts };

type Facts = Pick<AppErrorOptions, 'retryAfter' | 'details'>;

/** Runs on a worker thread, which loads a module with its first task. */
export default async function carryOut({ module, name, input }: WorkOrder): Promise<WorkOutcome> {
  try {
    const work = await findWorkerTask({ module, name });
    return { output: await work.run(input) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, cause, retryAfter, details } = error;
    const facts = { ...(retryAfter !== undefined && { retryAfter }), ...(details !== undefined && { details }) };
    return { refusal: { code, message, cause: cause instanceof Error ? cause.message : undefined, ...facts } };
  }
}
