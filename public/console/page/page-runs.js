import { runEnds } from '../../language/en/runs.js';
import { failureOf } from './page-request.js';

const KEPT = 50;
const LOOK_AGAIN_MS = 1_000;

/**
 * The calls made in this tab, newest first: `{id, action, account, input, startedAt, endedAt, state, progress, result,
 * failure, approvalId, url}`. `state` is `running`, `waiting` (for an approval), `done`, `failed` or `denied`. Dispatches
 * `change` with the run.
 */
export class Runs extends EventTarget {
  #session;
  #stops = new Map();

  constructor(session) {
    super();
    this.#session = session;
    this.list = [];
    session.events.addEventListener('change', ({ detail }) => this.#decided(detail));
  }

  /**
   * Calls an action. The outcome comes into the run.
   *
   * @param account `{id, label}`; undefined: the service selects it
   */
  start({ action, account, input }) {
    const run = { id: crypto.randomUUID(), action, account, input, startedAt: Date.now(), state: 'running' };
    const stop = new AbortController();
    this.#stops.set(run.id, stop);
    this.list = [run, ...this.list].slice(0, KEPT);
    this.#change(run, {});
    this.#call(run, stop);
    return run;
  }

  async #call(run, stop) {
    try {
      const result = await this.#session.client.call(run.action, run.input, {
        account: run.account?.id,
        signal: stop.signal,
        idempotencyKey: run.id,
        onProgress: ({ ms, message }) => this.#change(run, { progress: message ?? runEnds.runningFor(Math.round(ms / 1000)) }),
      });
      this.#end(run, { state: 'done', result });
    } catch (error) {
      this.#failed(run, failureOf(error));
    } finally {
      this.#stops.delete(run.id);
    }
  }

  /** Stops waiting, and the call if it changes nothing. */
  stop(run) {
    this.#stops.get(run.id)?.abort();
  }

  #failed(run, failure) {
    if (failure.code !== 'approval_required') this.#end(run, { state: 'failed', failure });
    else this.#change(run, { state: 'waiting', approvalId: failure.details.approvalId, url: failure.details.url });
  }

  #decided({ event, data }) {
    if (!event.startsWith('approval.') || event === 'approval.requested') return;
    for (const run of this.list) if (run.state === 'waiting' && run.approvalId === data.approvalId) this.#look(run);
  }

  /** Asks how the approval of a run ended, until it has. */
  async #look(run) {
    if (this.#session.signal.aborted) return;
    try {
      const { status, result, error } = await this.#session.client.approvalResult(run.approvalId);
      if (status === 'done') this.#end(run, { state: 'done', result });
      else if (status === 'failed') this.#end(run, { state: 'failed', failure: error });
      else if (runEnds[status] !== undefined) this.#end(run, { state: 'denied', failure: { message: runEnds[status] } });
      else setTimeout(() => this.#look(run), LOOK_AGAIN_MS);
    } catch (error) {
      this.#end(run, { state: 'failed', failure: failureOf(error) });
    }
  }

  #end(run, outcome) {
    this.#change(run, { ...outcome, endedAt: Date.now(), progress: undefined });
  }

  #change(run, changes) {
    Object.assign(run, changes);
    this.dispatchEvent(new CustomEvent('change', { detail: run }));
  }
}
