import type { Queryable } from '../../database/database.ts';
import type { CallerGrant } from './client-grant.ts';

/** What becomes of a call in a run that the user would be asked about: it waits for the user, is left out, or becomes a draft. */
export type WhenAsked = 'wait' | 'skip' | 'draft';

/** What the assistant may do in a conversation that the user didn't begin. */
export interface ThreadGrant extends CallerGrant {
  kind: 'automation';
  whenAsked: WhenAsked;
}

/** Of conversations that runs of automations begin: no other has a grant, so that the user's own cost no statement. */
const RUN_PREFIX = 'auto-';

/** The id of a run's conversation. @param runId a UUID */
export function runThreadId(runId: string): string {
  return RUN_PREFIX + runId.replaceAll('-', '');
}

/** Whether a conversation may have a grant, by its id. */
export function mayHaveGrant(threadId: string): boolean {
  return threadId.startsWith(RUN_PREFIX);
}

/**
 * Stores what a run may do, in the transaction that begins its conversation. It ends with the conversation.
 *
 * @param threadId begins with `auto-`
 */
export async function insertThreadGrant(
  tx: Queryable,
  userId: string,
  threadId: string,
  { actions, accountIds, whenAsked }: Pick<ThreadGrant, 'actions' | 'accountIds' | 'whenAsked'>,
): Promise<void> {
  await tx.query(
    `insert into thread_grants (user_id, thread_id, actions, account_ids, when_asked) values ($1::uuid, $2, $3::text[], $4::uuid[], $5)`,
    [userId, threadId, actions, accountIds, whenAsked],
  );
}

/** Replaces what the runs of an automation may do, also those that have begun: each call reads it. */
export async function updateThreadGrants(
  tx: Queryable,
  userId: string,
  automationId: string,
  { actions, accountIds, whenAsked }: Pick<ThreadGrant, 'actions' | 'accountIds' | 'whenAsked'>,
): Promise<void> {
  await tx.query(
    `update thread_grants g set actions = $3::text[], account_ids = $4::uuid[], when_asked = $5
     from threads t where g.user_id = $1::uuid and t.user_id = $1::uuid and t.id = g.thread_id and t.automation_id = $2::uuid`,
    [userId, automationId, actions, accountIds, whenAsked],
  );
}

/** A conversation of which a grant is looked up. */
export interface AskedThread {
  userId: string;
  threadId: string;
}

/** What is found of one. */
export interface FoundThread {
  /** It was not deleted. */
  isKept: boolean;
  /** undefined: the user began it. */
  grant: ThreadGrant | undefined;
}

type Row = ThreadGrant & { place: number; isGranted: boolean };

/** Of each conversation, in their order. The arrays in arrays hide how many there are, so that Postgres plans once. */
export async function selectThreadGrants(db: Queryable, asked: readonly AskedThread[]): Promise<FoundThread[]> {
  const rows = await db.query<Row>(
    {
      name: 'thread-grants',
      text: `select asked.place::int - 1 as place, g.thread_id is not null as "isGranted", 'automation' as kind, g.actions, 'write' as access,
               g.account_ids as "accountIds", '{}'::text[] as "exceptAccountIds", g.when_asked as "whenAsked"
             from unnest(array(select unnest($1::uuid[])), array(select unnest($2::text[]))) with ordinality as asked (user_id, thread_id, place)
               join threads t on t.user_id = asked.user_id and t.id = asked.thread_id
               left join thread_grants g on g.user_id = asked.user_id and g.thread_id = t.id`,
    },
    [asked.map(({ userId }) => userId), asked.map(({ threadId }) => threadId)],
  );
  const byPlace = new Map(rows.map(({ place, isGranted, ...grant }) => [place, { isKept: true, grant: isGranted ? grant : undefined }]));
  return asked.map((_, place) => byPlace.get(place) ?? { isKept: false, grant: undefined });
}
