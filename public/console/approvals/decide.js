import { DECISION } from '../../language/en/questions.js';
import { Failure } from '../page/page-request.js';

/**
 * Sends a decision now or not at all: one that waits for the connection would count when nobody expects it any more. Where
 * the connection is lost before the answer, the question is looked up once it is back.
 *
 * @param options see `approve` of the client
 * @throws Failure `unreachable`: nothing was sent; `disconnected`: it has not arrived, and the question is still open
 */
export async function decide(session, approvalId, approved, options) {
  assertConnected(session);
  const { client, link, approvals, signal } = session;
  try {
    return await client.approve(approvalId, approved, options);
  } catch (error) {
    if (error.code !== 'outcome_unknown') throw error;
    await link.opened(signal);
    await approvals.refresh();
    if (!approvals.value.some((one) => one.approvalId === approvalId)) throw error;
    throw new Failure(DECISION.notArrived, { code: 'disconnected' });
  }
}

/** @throws Failure `unreachable`: nothing can be sent */
export function assertConnected({ link }) {
  if (!link.isOpen) throw new Failure(DECISION.notSent, { code: 'unreachable' });
}

/** Whether a decision failed because the question is not open any more: it was decided elsewhere, or its time is up. */
export function isOver({ code, details }) {
  return code === 'not_found' || details?.reason === 'over';
}
