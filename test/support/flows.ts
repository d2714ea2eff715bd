import { FormBrowser } from './browser.ts';
import type { Answer, Service } from './steward.ts';

export interface ConnectOptions {
  token?: string;
  /** The account asked for. */
  email?: string;
  /** The account chosen on the consent page; default the one asked for. */
  chosen?: string;
  redirectUri?: string;
  browser?: FormBrowser;
  /** Scopes to untick. */
  untick?: string[];
  decision?: 'allow' | 'deny';
}

/** Step 1 and 2 in one browser: ends at the provider's consent page. */
export async function openConsent(steward: Service, options: ConnectOptions = {}) {
  const browser = options.browser ?? new FormBrowser(steward.url);
  const token = options.token ?? (await steward.signIn());
  const form = { email: options.email ?? 'demo@example.com', ...(options.redirectUri !== undefined && { redirect_uri: options.redirectUri }) };
  const request = await browser.visit('/workspace_access_request', { form, token });
  const login = await browser.visit(request.body.login_url);
  return { browser, token, request, login, consentUrl: login.headers.get('location') ?? '' };
}

/** The consent page's answer: the address the provider sends the browser to. */
export async function consent(browser: FormBrowser, consentUrl: string, options: ConnectOptions = {}): Promise<string> {
  const page = await browser.visit(consentUrl);
  const answer = await browser.submit(page, consentUrl, (fields) => {
    const chosen = options.chosen ?? options.email;
    if (chosen !== undefined) {
      fields.delete('account');
      fields.set('other_account', chosen);
    }
    const granted = fields.getAll('scope').filter((scope) => !(options.untick ?? []).some((unticked) => scope.endsWith(unticked)));
    fields.delete('scope');
    for (const scope of granted) fields.append('scope', scope);
    fields.set('decision', options.decision ?? 'allow');
  });
  return answer.headers.get('location') ?? '';
}

/** The whole connection through every redirect; the last answer is the callback's. */
export async function connect(steward: Service, options: ConnectOptions = {}) {
  const opened = await openConsent(steward, options);
  const callbackUrl = await consent(opened.browser, opened.consentUrl, options);
  const callback = await opened.browser.visit(callbackUrl);
  return { ...opened, callbackUrl, callback };
}

/** What a redirect to the flow's end says. */
export function outcome(answer: Answer): Record<string, string> {
  const location = answer.headers.get('location');
  return location === null ? {} : Object.fromEntries(new URL(location).searchParams);
}

/** Links a bank on the sandbox's page and returns the answer to the public token. */
export async function linkBank(steward: Service, token: string, institution = 'ins_109508'): Promise<Answer> {
  const publicToken = await createPublicToken(steward, institution);
  return steward.call('/auth/bank/set_access_token', { token, form: { public_token: publicToken } });
}

/** A public token as the widget would return it. */
export async function createPublicToken(steward: Service, institution = 'ins_109508'): Promise<string> {
  const answer = await steward.call('/sandbox/bank/sandbox/public_token/create', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: 'sandbox', secret: 'sandbox', institution_id: institution, initial_products: ['transactions', 'auth'] }),
  });
  return answer.body.public_token;
}
