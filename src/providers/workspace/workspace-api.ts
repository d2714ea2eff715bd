import { LargeResponses } from '../../threads/large-responses.ts';
import { loadOnce } from '../../threads/load-once.ts';
import { UserConcurrency } from '../../threads/user-concurrency.ts';
import { isObject } from '../../validation/is-object.ts';
import type { GrantAccess } from '../provider.ts';
import type { Method, WorkspaceApiOptions } from './workspace-attempt.ts';
import { type InTurn, WorkspaceSession } from './workspace-session.ts';

/** The SDK's clients, by deep import: its root loads every API. */
const APIS: Record<string, () => Promise<object>> = {
  gmail: async () => (await import('googleapis/build/src/apis/gmail/index.js')).gmail({ version: 'v1' }),
  calendar: async () => (await import('googleapis/build/src/apis/calendar/index.js')).calendar({ version: 'v3' }),
  drive: async () => (await import('googleapis/build/src/apis/drive/index.js')).drive({ version: 'v3' }),
  docs: async () => (await import('googleapis/build/src/apis/docs/index.js')).docs({ version: 'v1' }),
  sheets: async () => (await import('googleapis/build/src/apis/sheets/index.js')).sheets({ version: 'v4' }),
  slides: async () => (await import('googleapis/build/src/apis/slides/index.js')).slides({ version: 'v1' }),
};

/** Concurrent requests of one user. More would be rejected with 429. */
const AT_A_TIME = 5;

/** The provider's APIs through its SDK. One session is for one account. */
export class WorkspaceApi {
  readonly #options: WorkspaceApiOptions;
  readonly #clients = Object.fromEntries(Object.entries(APIS).map(([api, load]) => [api, loadOnce(load)]));
  readonly #concurrency = new UserConcurrency(AT_A_TIME);
  readonly #large = new LargeResponses();

  constructor(options: WorkspaceApiOptions) {
    this.#options = options;
  }

  /** @param signal ends every request of the session */
  session(userId: string, tokens: Pick<GrantAccess, 'current' | 'renewed'>, signal: AbortSignal): WorkspaceSession {
    const inTurn: InTurn = (work) => this.#concurrency.run(userId, work);
    const options = { ...this.#options, userId, large: this.#large };
    return new WorkspaceSession(options, (method) => this.#method(method), inTurn, tokens, signal);
  }

  async #method(id: string): Promise<Method> {
    const [api = '', ...path] = id.split('.');
    const name = path.pop() ?? '';
    let resource: unknown = await this.#client(api);
    for (const part of path) resource = isObject(resource) && Object.hasOwn(resource, part) ? resource[part] : undefined;
    const method = isObject(resource) && !Object.hasOwn(Object.prototype, name) ? resource[name] : undefined;
    if (typeof method !== 'function') throw new Error(`the SDK has no method ${id}`);
    return (params, options) => method.call(resource, params, options);
  }

  #client(api: string): Promise<object> {
    const load = Object.hasOwn(this.#clients, api) ? this.#clients[api] : undefined;
    if (load === undefined) throw new Error(`the SDK has no API ${api}`);
    return load();
  }
}
