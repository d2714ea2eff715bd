import { expect } from 'vitest';
import { deliver, eventBody, WebhookSigner } from '../emulators/bank-webhooks.ts';
import type { TestSteward } from '../steward.ts';
import { eventually } from '../time/eventually.ts';
import type { HttpResponse } from '../users/request.ts';
import { linkBank } from './flows.ts';

let users = 0;

/** A user with one bank linked in the sandbox. */
export class LinkedUser {
  readonly steward: TestSteward;
  readonly token: string;
  readonly itemId: string;
  readonly entryId: string;
  readonly #signer: WebhookSigner;

  private constructor(steward: TestSteward, token: string, itemId: string, entryId: string) {
    this.steward = steward;
    this.token = token;
    this.itemId = itemId;
    this.entryId = entryId;
    this.#signer = WebhookSigner.ofSandbox(steward);
  }

  static async of(steward: TestSteward, institution?: string): Promise<LinkedUser> {
    users += 1;
    const token = await steward.signIn(`webhook-user-${users}`);
    // The queue's first start keeps the one connection of the embedded database busy.
    await eventually(async () => (await linkBank(steward, token, institution)).status === 200);
    const itemId = (await steward.control('bank/state')).items.at(-1).item_id;
    const [entry] = (await steward.call('/auth/bank/accounts', { token })).body.accounts;
    return new LinkedUser(steward, token, itemId, entry.id);
  }

  /** The user's entries, as listed. */
  async entries(): Promise<any[]> {
    return (await this.steward.call('/auth/bank/accounts', { token: this.token })).body.accounts;
  }

  async entry(): Promise<Record<string, any>> {
    return (await this.entries())[0];
  }

  /** The banks of /integrations. */
  async bank(): Promise<unknown> {
    return (await this.steward.call('/integrations', { token: this.token })).body.bank;
  }

  refresh(): Promise<HttpResponse> {
    return this.steward.call(`/auth/bank/accounts/${this.entryId}/refresh`, { method: 'POST', token: this.token });
  }

  remove(): Promise<HttpResponse> {
    return this.steward.call(`/auth/bank/accounts/${this.entryId}`, { method: 'DELETE', token: this.token });
  }

  /** The events about the item since it was linked: event and the rest of its data. */
  async told(): Promise<[string, Record<string, unknown>][]> {
    const rows = await this.steward.sql<{ event: string; data: Record<string, unknown> }>(
      `select event, data from events where data->>'account' = $1 order by seq`,
      [this.entryId],
    );
    return rows
      .filter(({ event }) => event !== 'account.connected')
      .map(({ event, data: { account: _, provider, ...rest } }) => {
        expect(provider).toBe('bank');
        return [event, rest];
      });
  }

  /** Delivers an event about the item. @param age of its proof, seconds */
  async hears(code: string, more: object = {}, age = 0): Promise<HttpResponse> {
    const body = eventBody(code, this.itemId, more);
    return deliver(this.steward, body, await this.#signer.sign(body, { age }));
  }

  /** Delivers an event and waits until it is handled. */
  async happens(code: string, more: object = {}, age = 0): Promise<void> {
    const response = await this.hears(code, more, age);
    expect([response.status, response.body]).toEqual([200, { success: true }]);
    await allHandled(this.steward);
  }

  /** The sandbox causes an event and delivers it. */
  async befalls(code: string, variant = 'good'): Promise<void> {
    const { deliveries } = await this.steward.control('bank/webhook', { item_id: this.itemId, webhook_code: code, variant });
    for (const delivery of deliveries) expect(delivery).toEqual({ status: 200 });
    await allHandled(this.steward);
  }
}

/** Waits until every event is handled. */
export function allHandled(steward: TestSteward, limitMs?: number): Promise<unknown> {
  return eventually(async () => (await steward.sql('select id from bank_webhooks where handled_at is null')).length === 0, limitMs);
}

/** Runs jobs that wait for a retry now. */
export async function retryNow(steward: TestSteward, queue: string): Promise<void> {
  await steward.sql(`update pgboss.job set start_after = now() where name = $1 and state in ('created', 'retry')`, [queue]);
}
