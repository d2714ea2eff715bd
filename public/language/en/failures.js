// @ts-check
import { plainWords } from '../names.js';

/** @type {Record<string, string>} */
const REASONS = {
  invalid_request: 'its details were not valid',
  invalid_token: 'the access of who asked had ended',
  token_expired: 'the access of who asked had ended',
  forbidden: 'it was not permitted',
  recent_login_required: 'you had to sign in again first',
  missing_scopes: 'the account does not permit it',
  not_found: 'something that it names was not there',
  method_not_allowed: 'it was asked for in a way that does not exist',
  reauth_required: 'the account has to be connected again',
  relink_required: 'the bank has to be connected again',
  item_gone: 'the bank no longer knows the connection',
  conflict: 'it did not fit what had happened meanwhile',
  approval_required: 'you had to be asked first',
  aborted: 'it was stopped',
  too_large: 'something in it was too large',
  unsupported_media_type: 'it was about a kind of file that can’t be read',
  invalid_configuration: 'the configuration of the server was not valid',
  unsupported_account: 'the account does not offer this',
  rate_limited: 'there were too many calls in a short time',
  internal: 'something went wrong in Steward',
  provider_error: 'the provider reported a fault',
  provider_timeout: 'the provider did not answer in time',
  outcome_unknown: 'it may have been done',
  unavailable: 'something that it needs was not available for a moment',
  not_configured: 'it is not set up on this server',
  assistant_disabled: 'no language model is set up on this server',
};

/** Why a call failed or was refused, behind a colon, by the code of its error. @param {string} code */
export function reasonOf(code) {
  return Object.hasOwn(REASONS, code) ? REASONS[code] : plainWords(code).toLowerCase();
}

/** That a call failed, in sentences: nothing was done, unless it is not known whether. @param {string} code */
export function failedText(code) {
  if (code === 'outcome_unknown') return 'It may have been done, or a part of it: look before you try again.';
  return `It failed, and nothing was done: ${reasonOf(code)}.`;
}
