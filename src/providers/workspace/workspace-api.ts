import { LargeResponses } from '../../concurrency/large-responses.ts';
import { UserConcurrency } from '../../concurrency/user-concurrency.ts';
import type { GrantAccess } from '../shared/provider.ts';
import type { WorkspaceApiOptions } from './workspace-attempt.ts';
import { type InTurn, WorkspaceSession } from './workspace-session.ts';

/** Concurrent requests of one user. More would be rejected with 429. */
const AT_A_TIME = 5;

/** The provider's APIs. One session is for one account. */
export class WorkspaceApi {
  readonly #options: WorkspaceApiOptions;
  readonly #concurrency = new UserConcurrency(AT_A_TIME);
  readonly #large = new LargeResponses();

  constructor(options: WorkspaceApiOptions) {
    this.#options = options;
  }

  /** @param signal ends every request of the session */
  session(userId: string, tokens: Pick<GrantAccess, 'current' | 'renewed'>, signal: AbortSignal): WorkspaceSession {
    const inTurn: InTurn = (work) => this.#concurrency.run(userId, work);
    return new WorkspaceSession({ ...this.#options, userId, large: this.#large }, inTurn, tokens, signal);
  }
}
