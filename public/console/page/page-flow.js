/** Where the user was before the provider's page, and what is to go on after it, by user: another one never gets it. */
const keyOf = ({ user }) => `steward.flow.${user.key}`;

/** The page itself, which is served at different paths. */
export function ownAddress() {
  return location.origin + location.pathname;
}

/**
 * Leads to the provider, where the user connects a workspace account, and back to the address that is shown now. Who has
 * gone elsewhere meanwhile stays there.
 *
 * @param goOn what is to go on once the account is connected, see {@link takeFlow}
 */
export function connectWorkspace(session, email, goOn) {
  return leadTo(session, '/workspace_access_request', { email }, goOn);
}

/** The same for a source. @param options.accountId of the connection to give its access back; undefined: a new one */
export function connectSource(session, name, { accountId, goOn } = {}) {
  const again = accountId === undefined ? {} : { account_id: accountId };
  return leadTo(session, `/auth/sources/${encodeURIComponent(name)}/connect`, again, goOn);
}

async function leadTo(session, path, about, goOn) {
  const from = location.hash;
  const form = { ...about, redirect_uri: ownAddress() };
  const { login_url: loginUrl } = await session.request('POST', path, { form });
  if (location.hash !== from) return;
  sessionStorage.setItem(keyOf(session), JSON.stringify({ address: from.slice(1), goOn }));
  location.assign(loginUrl);
}

/** What was kept before the provider's page: `{address, goOn}`, which is then forgotten. @returns undefined: nothing */
export function takeFlow(session) {
  const kept = sessionStorage.getItem(keyOf(session));
  sessionStorage.removeItem(keyOf(session));
  return kept === null ? undefined : JSON.parse(kept);
}

/** Whether another page of this service led here. Browsers that don't know leave the focus at the beginning. */
export function isLedHere() {
  const { from, navigationType } = window.navigation?.activation ?? {};
  return Boolean(from) && navigationType !== 'reload';
}
