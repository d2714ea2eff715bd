import { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';

/** The body of a call's 200. */
export const callResult = z.object({ data: z.unknown(), meta: z.looseObject({}) }).meta({ id: 'CallResult' });

/** The errors of a call, beside those that follow from an endpoint's declaration. */
export const CALL_ERRORS: readonly ErrorCode[] = [
  'not_found',
  'approval_required',
  'conflict',
  'aborted',
  'missing_scopes',
  'reauth_required',
  'relink_required',
  'item_gone',
  'not_configured',
  'outcome_unknown',
  'provider_error',
  'provider_timeout',
];
