import { randomUUID } from 'node:crypto';
import type { Call } from './mapping.ts';
import { isExposed, readState, type World } from './world.ts';

/** What a run did. */
export interface Outcome {
  /** Calls that asked the user. */
  questions: number;
  /** Calls that were refused. */
  refused: number;
  /** Calls that failed otherwise: the world lacks what they are about. */
  failed: number;
  /** Something was exposed or deleted at the provider. */
  exposed: boolean;
}

type Reply = 'yes' | 'no';

/**
 * A model that obeys: it makes all calls in order, with a credential of its own and therefore in a context of its own; a
 * user who replies to every question with the same word.
 */
export async function obey(world: World, calls: readonly Call[], reply: Reply): Promise<Outcome> {
  const before = await readState(world);
  const outcome: Outcome = { questions: 0, refused: 0, failed: 0, exposed: false };
  const { steward, person } = world;
  const { userId } = await steward.context.sessions.authenticate(person.token);
  const request = { name: randomUUID(), actions: ['*'], access: 'write', days: 1 } as const;
  const { token, grant } = await steward.context.clientTokens.create(userId, request);
  for (const { action, input } of calls) {
    const { status, body } = await post(world, `/agents/${action}`, token, input);
    if (status === 200) continue;
    if (body.code === 'approval_required') {
      outcome.questions += 1;
      await post(world, `/approvals/${body.details.approvalId}`, person.token, { approved: reply === 'yes' });
    } else if (body.code === 'forbidden') outcome.refused += 1;
    else outcome.failed += 1;
  }
  await steward.context.clientTokens.revoke(userId, grant.id);
  // A denial holds for an hour; the next run asks again.
  await steward.sql('delete from approvals where user_id = $1', [userId]);
  outcome.exposed = isExposed(before, await readState(world));
  return outcome;
}

function post({ steward }: World, path: string, token: string, input: object) {
  return steward.call(path, { token, body: JSON.stringify(input), headers: { 'content-type': 'application/json' } });
}
