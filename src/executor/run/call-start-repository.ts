import type { Queryable } from '../../database/database.ts';
import { askerOf } from '../call/asker.ts';
import type { Call } from '../call/call.ts';
import { ACTIVE } from '../call/client-grants-repository.ts';
import { HOLDING, isOfAsker } from '../policy/allowances-repository.ts';

/** What decides whether a call may start; exact while the user is locked. */
export interface CallStart {
  isClientActive: boolean;
  /** The thread in which the assistant calls was not deleted. */
  isThreadKept: boolean;
  isReadOnly: boolean;
  /** Its allowance holds. */
  isAllowed: boolean;
  /** Calls of the action within its rate's time, and the seconds until the oldest of them no longer counts. */
  calls: number;
  seconds: number;
}

/** In one statement, because every change waits for it. @param allowanceId under which the call runs; undefined: none */
export async function selectCallStart(tx: Queryable, call: Call, allowanceId: string | undefined): Promise<CallStart> {
  const { userId, account, client, thread, configured } = call;
  const { name, policy } = configured;
  const rows = await tx.query<CallStart>(
    {
      name: 'call-start',
      text: `select $3::uuid is null or exists (select 1 from client_grants where user_id = $1::uuid and id = $3::uuid and ${ACTIVE}) as "isClientActive",
               $7::text is null or exists (select 1 from threads where user_id = $1::uuid and id = $7) as "isThreadKept",
               exists (
                 select 1 from read_only_accounts where user_id = $1::uuid and grant_id = $2::uuid and (client_id is null or client_id = $3::uuid)
               ) as "isReadOnly",
               $4::uuid is null or exists (select 1 from ${HOLDING} where a.user_id = $1::uuid and a.id = $4::uuid and ${isOfAsker('$8', '$3::uuid')}) as "isAllowed",
               count(*)::int as calls, coalesce(extract(epoch from min(at) - now())::float8 + $6::float8 / 1000, 0) as seconds
             from audit_log
             where user_id = $1::uuid and action = $5 and decision = 'started' and at > now() - $6::float8 * interval '1 millisecond'`,
    },
    [userId, account.grantId, client?.id ?? null, allowanceId ?? null, name, policy.rate.perMs, thread ?? null, askerOf(call).asker],
  );
  return rows[0] as CallStart;
}
