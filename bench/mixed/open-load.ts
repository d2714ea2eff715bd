import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type OpenOrder, type OpenResult, OUTCOMES } from './open-result.ts';
import { KINDS, type ScheduleOptions } from './schedule.ts';

/** The client of the open loop: one signed-in socket for each user, and keep-alive connections. */
export class OpenLoad {
  // Structured clones, because results are long arrays of numbers.
  readonly #child: ChildProcess = fork(join(import.meta.dirname, 'open-client.ts'), { serialization: 'advanced' });

  /** In all runs. */
  callsAnswered = 0;

  private constructor() {}

  static async open(port: number, tokens: string[]): Promise<OpenLoad> {
    const load = new OpenLoad();
    await load.#order({ kind: 'open', port, tokens });
    return load;
  }

  async run(schedule: ScheduleOptions): Promise<OpenResult> {
    const result = (await this.#order({ kind: 'run', schedule })) as OpenResult;
    const isAnsweredCall = (kind: number, index: number) => KINDS[kind] === 'calls' && OUTCOMES[result.outcomes[index] ?? 0] === 'answered';
    this.callsAnswered += result.kinds.filter(isAnsweredCall).length;
    return result;
  }

  async #order(order: OpenOrder): Promise<OpenResult | 'open'> {
    this.#child.send(order);
    const [response] = (await once(this.#child, 'message')) as [{ result: OpenResult | 'open' } | { error: string }];
    if ('error' in response) throw new Error(response.error);
    return response.result;
  }

  [Symbol.dispose](): void {
    this.#child.disconnect();
  }
}
