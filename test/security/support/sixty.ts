/** One input or fault, what must happen, and the tests that show it: file, and words of the tests' full names. */
export interface Fault {
  fault: string;
  tests: readonly (readonly [file: string, name: RegExp])[];
}

const token = (name: RegExp) => ['authentication', name] as const;
const login = (name: RegExp) => ['workspace-login', name] as const;
const callback = (name: RegExp) => ['workspace-callback', name] as const;
const confirmation = (name: RegExp) => ['workspace-confirmation', name] as const;
const refresh = (name: RegExp) => ['refresh', name] as const;
const twoProcesses = (name: RegExp) => ['process-refresh', name] as const;
const socket = (name: RegExp) => ['socket', name] as const;

/** The list that the service was designed against, in its order. */
export const SIXTY: readonly Fault[] = [
  { fault: 'no token is 401', tests: [token(/is protected before the request is validated/)] },
  { fault: 'alg none is 401', tests: [token(/without a signature \(alg none\) is rejected/)] },
  {
    fault: 'HS256 signed with the public key is 401',
    tests: [token(/HS256 and the public key is rejected/), ['identity-firebase', /HS256 with the certificate/]],
  },
  { fault: 'another audience is 401', tests: [token(/for another audience is rejected/)] },
  { fault: 'another issuer is 401', tests: [token(/of another issuer is rejected/)] },
  {
    fault: 'iat or auth_time ten minutes ahead is 401',
    tests: [token(/issued ten minutes ahead is rejected/), token(/of a sign-in ten minutes ahead is rejected/)],
  },
  { fault: 'an expired token is 401', tests: [token(/that has expired is rejected/)] },
  {
    fault: 'a thousand unknown key ids cause one fetch a minute',
    tests: [['key-set', /at most once a minute for 1,000/]],
  },
  {
    fault: 'certificates out of reach: bounded service and an alarm',
    tests: [['key-set', /used for 24 hours .* with an error/]],
  },
  {
    fault: 'a mail with CR/LF, an array, 300 characters is 400',
    tests: [
      ['workspace-request', /rejects a mail address that is (followed by CR|of 300)/],
      ['workspace-request', /rejects the JSON \{"email":\["/],
    ],
  },
  {
    fault: 'a redirect to another place is 400',
    tests: [['workspace-request', /redirect_uri is rejected with (a backslash|the allowed host as a prefix)/]],
  },
  { fault: 'token given twice is 400', tests: [login(/rejects the token given twice/)] },
  { fault: 'a revoked token is 401', tests: [['identity-firebase', /where revocation is checked .*is rejected once revoked/]] },
  {
    fault: 'no token is found in logs',
    tests: [
      ['log-canary', /logs every request of these tests/],
      ['workspace-secrets', /are in no line of the log/],
    ],
  },
  { fault: 'HEAD on login is 405', tests: [login(/rejects HEAD with 405/)] },
  { fault: 'twenty tabs with a ticket each are independent', tests: [login(/twenty tabs with a ticket each/)] },
  { fault: 'the database down is 503', tests: [['database-outage', /returns 503 unavailable, keeps running/]] },
  { fault: 'an unknown state leads to the default page', tests: [callback(/redirects to the default page as expired/)] },
  { fault: 'an expired flow is an error redirect', tests: [callback(/of an expired flow redirects to its redirect_uri/)] },
  { fault: 'a replayed callback exchanges nothing', tests: [callback(/repeated returns the same outcome without an exchange/)] },
  { fault: 'fifty callbacks at once make one exchange', tests: [callback(/exchanges once for fifty concurrent callbacks/)] },
  {
    fault: 'no cookie: the confirmation page',
    tests: [login(/connects only after the confirmation page/), confirmation(/activates nothing before the user’s decision/)],
  },
  { fault: 'an attacker’s link makes nothing active', tests: [confirmation(/a victim of phishing/)] },
  { fault: 'a confirmation by another is denied', tests: [confirmation(/is rejected from another browser/)] },
  { fault: 'access_denied is a redirect with the outcome', tests: [callback(/is access_denied when the user presses Deny/)] },
  { fault: 'another iss is rejected', tests: [callback(/never sends the code if the response is from/)] },
  { fault: 'an unticked scope: connected, with missing_scopes', tests: [callback(/that the user unticked are named/)] },
  { fault: 'another account than requested: the confirmation page', tests: [callback(/shows the confirmation page even with the cookie/)] },
  { fault: 'no refresh token is an error', tests: [callback(/is no_refresh_token for a new account/)] },
  { fault: 'a provider that hangs: a redirect in time', tests: [callback(/a provider that hangs at the callback/)] },
  { fault: 'a kill after the exchange leaves no half row', tests: [['process-kill', /no half row/]] },
  {
    fault: 'a flipped bit does not open',
    tests: [
      ['envelope', /fails to open whichever bit is flipped/],
      ['vault-tampering', /is an error, and nothing is sent to the bank/],
    ],
  },
  {
    fault: 'a row moved to another user or column does not open',
    tests: [
      ['envelope', /fails to open in another table, column, user or row/],
      ['vault-tampering', /of another user is an error for both/],
    ],
  },
  { fault: 'a short tag does not open', tests: [['envelope', /fails to open with a short tag/]] },
  { fault: 'an unknown key id fails, with an alarm', tests: [['vault-tampering', /with an alarm that names the key/]] },
  { fault: 'rewrap killed amid writes resumes and loses nothing', tests: [['keys-rewrap', /killed between its writes loses nothing/]] },
  {
    fault: 'another user’s id is 404',
    tests: [
      ['workspace-accounts', /does not find another user’s account/],
      ['bank-repair', /is not found for another user/],
    ],
  },
  {
    fault: 'a deleted user cannot be decrypted',
    tests: [
      ['user-erasure', /the key and the rest in one transaction/],
      ['user-deletion', /destroys the user’s key/],
    ],
  },
  {
    fault: 'a herd makes one exchange',
    tests: [refresh(/is refreshed once for 100 callers/), twoProcesses(/with 100 callers each make one exchange/)],
  },
  {
    fault: 'a kill before or after response and commit: a defined state',
    tests: [
      twoProcesses(/before the provider got the request/),
      twoProcesses(/after the response and before the commit/),
      twoProcesses(/after the commit: the others use/),
    ],
  },
  { fault: 'a lost response: a defined state', tests: [twoProcesses(/with rotation .* leaves a defined state/)] },
  { fault: 'a stale invalid_grant leaves the account connected', tests: [refresh(/is ignored for a refresh token that was replaced/)] },
  { fault: 'invalid_client flips no user', tests: [refresh(/is reported to the operator: one alarm a minute, no account affected/)] },
  { fault: 'truncated JSON, or HTML with 200, passes', tests: [refresh(/leaves the account connected, and returns when to retry/)] },
  { fault: 'expires_in of −1, NaN and 1e12 is clamped', tests: [refresh(/survives expires_in/)] },
  { fault: 'a clock ten minutes off makes no loop', tests: [refresh(/whose clock is 10 minutes/)] },
  {
    fault: 'the provider down at a disconnect: denied now, revoked later',
    tests: [['revocation', /responds immediately while the provider (returns|hangs)/]],
  },
  { fault: 'a disconnect during a refresh leaves no live token', tests: [refresh(/loses against a disconnect: the caller gets an error/)] },
  { fault: 'a reconnect before the job survives', tests: [['revocation', /before the provider was reached keeps the account/]] },
  { fault: 'a foreign origin is 403', tests: [socket(/is rejected with 403 for the origin/)] },
  { fault: 'a silent socket is closed', tests: [socket(/closes a silent socket with 4401/), ['socket-time', /5 s without a frame: 4401/]] },
  { fault: 'a token that expires mid-stream: 4401', tests: [['socket-time', /expiry of the token during a request/]] },
  { fault: 'a message of 65 KiB before the sign-in: 1009', tests: [socket(/before authentication one of 64 KiB is closed with 1009/)] },
  { fault: '60,000 one-byte fragments: closed', tests: [socket(/60,000 one-byte fragments/)] },
  { fault: 'a client that does not read is ended', tests: [['socket-time', /a slow reader .*is cut off/]] },
  { fault: 'a stop with 1,000 sockets spreads reconnects and loses no response', tests: [['socket-drain', /a stop with 1,000 sockets/]] },
  { fault: 'a thousand reloads are a handful of runs', tests: [['integrations-reload', /a thousand concurrent requests cause a handful/]] },
  {
    fault: 'a webhook changed, old, or twice: 401, 401, once',
    tests: [
      ['webhook-verification', /rejects another body/],
      ['webhook-verification', /rejects a proof older than five minutes/],
      ['webhook-verification', /signed event once, however often it arrives/],
    ],
  },
  {
    fault: 'dead connections: the configuration still arrives',
    tests: [['integrations-replicas', /whose database connections are dead/]],
  },
  { fault: 'a failover to read-only, and back', tests: [['replicas-faults', /a failover to a read-only database/]] },
];
