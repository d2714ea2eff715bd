import { newClient, postJson } from './client.ts';
import type { World } from './world.ts';

/** The user replies to every question with the same word. */
export type Reply = 'yes' | 'no';

/** How a call ended; `denied`: the user said no. */
export interface Ended {
  outcome: 'ran' | 'denied' | 'refused' | 'failed';
  /** Whether the user was asked. */
  asked: boolean;
  /** Of a call that ran. */
  data?: any;
  /** Of a call that was refused or failed. */
  error?: string;
}

/** Makes calls, in a context of its own. */
export interface Driver {
  call(action: string, input: object, reply: Reply): Promise<Ended>;
  close(): Promise<void>;
}

export type OpenDriver = (world: World) => Promise<Driver>;

/** Calls over HTTP, with a personal access token. */
export async function openClient(world: World): Promise<Driver> {
  const client = await newClient(world);
  return {
    async call(action, input, reply) {
      const first = await client.call(action, input);
      const asked = first.body.code === 'approval_required';
      const { status, body } = asked ? await decide(world, first.body.details.approvalId, reply) : first;
      if (status === 200) return asked && reply === 'no' ? { outcome: 'denied', asked } : { outcome: 'ran', asked, data: body.data };
      return { outcome: body.code === 'forbidden' ? 'refused' : 'failed', asked, error: JSON.stringify(body) };
    },
    async close() {
      await client.revoke();
      await forgetDecisions(world);
    },
  };
}

/** The user decides in person, as Steward's pages do. */
export function decide({ steward, person }: Pick<World, 'steward' | 'person'>, approvalId: string, reply: Reply) {
  return postJson(steward, `/approvals/${approvalId}`, person.token, { approved: reply === 'yes' });
}

/** A denial holds for an hour; the next run asks again. */
export async function forgetDecisions({ steward, person }: Pick<World, 'steward' | 'person'>): Promise<void> {
  const { userId } = await steward.context.sessions.authenticate(person.token);
  await steward.sql('delete from approvals where user_id = $1', [userId]);
}
