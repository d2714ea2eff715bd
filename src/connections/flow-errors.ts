/** Every `code` of the redirect with `status=error` that ends a flow, and its cause. `docs/http.md` lists them. */
export const FLOW_ERRORS = {
  access_denied: 'The user cancelled on the provider’s consent page or on the confirmation page.',
  account_mismatch: 'The user selected another account than the requested `email`, and cancelled on the confirmation page.',
  expired:
    'The flow is unknown or took longer than ten minutes, the confirmation page was not answered within ten minutes, or the user was deleted.',
  no_refresh_token: 'The provider issued no refresh token, and none is stored for this account.',
  missing_scopes: 'The user did not grant the scopes that identify the account: `openid` and the scope of the address.',
  account_disconnected: 'The account of a source that was to be connected again was disconnected meanwhile.',
  provider_error: 'The provider could not be reached, returned an error, or sent an invalid response.',
} as const;

export type FlowError = keyof typeof FLOW_ERRORS;
