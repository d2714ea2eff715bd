import { decode, FormBrowser } from '../browser/browser.ts';
import type { Service } from '../steward.ts';
import type { HttpResponse } from './request.ts';

/** Where a response leads: by a redirect or, after a form, by a page that navigates. */
export function locationOf({ headers, text }: HttpResponse): string {
  const [, address = ''] = /<meta http-equiv="refresh" content="0; url=([^"]*)">/.exec(text) ?? [];
  return headers.get('location') ?? decode(address);
}

/** Opens a page signed out: ends at the sandbox's sign-in page. */
export async function openSignIn(steward: Service, path = '/approvals', browser = new FormBrowser(steward.url)) {
  const page = await browser.visit(path);
  const signIn = await browser.visit(locationOf(page));
  return { browser, signInUrl: locationOf(signIn) };
}

/** Signs in at the sandbox's page. @returns the address of the callback */
export async function submitSignIn(browser: FormBrowser, signInUrl: string, user: string, decision = 'sign_in'): Promise<string> {
  const response = await browser.submit(await browser.visit(signInUrl), signInUrl, (fields) => {
    fields.set('other_user', user);
    fields.set('decision', decision);
  });
  return locationOf(response);
}

/** A browser that is signed in at the service's own pages. */
export async function signedIn(steward: Service, user: string, browser = new FormBrowser(steward.url)): Promise<FormBrowser> {
  const { signInUrl } = await openSignIn(steward, '/approvals', browser);
  await browser.visit(await submitSignIn(browser, signInUrl, user));
  return browser;
}

/** A browser with a session of an ID token. */
export async function sessionOf(steward: Service, token: string): Promise<FormBrowser> {
  const browser = new FormBrowser(steward.url);
  await browser.visit('/auth/session', { method: 'POST', token, headers: { accept: 'application/json' } });
  return browser;
}
