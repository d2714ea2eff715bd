import type { FormBrowser } from '../../support/browser/browser.ts';
import { newName } from '../../support/scenes/flows.ts';
import type { TestSteward } from '../../support/steward.ts';
import { eventually } from '../../support/time/eventually.ts';
import { sessionOf } from '../../support/users/sign-in.ts';

const MOST_HOPS = 10;
const MOST_SIGN_INS = 3;
/** A server that never lists its tools. The suite waits for a minute. */
const PATIENCE_MS = 15_000;

interface Account {
  id: string;
  status: string;
}

/** A new user, who connects to one source and calls its tools. */
export class SourceUser {
  readonly #steward: TestSteward;
  readonly #token: string;
  readonly #source: string;
  readonly #tools: readonly string[];

  private constructor(steward: TestSteward, token: string, source: string, tools: readonly string[]) {
    this.#steward = steward;
    this.#token = token;
    this.#source = source;
    this.#tools = tools;
  }

  /** @param tools of the source's actions, in their order */
  static async signIn(steward: TestSteward, source: string, tools: readonly string[]): Promise<SourceUser> {
    return new SourceUser(steward, await steward.signIn(newName()), source, tools);
  }

  /**
   * As a browser would: to the authorization server and back, or over the page of a server without one.
   *
   * @returns `connected`, or what became of it instead
   */
  async connect(accountId?: string): Promise<string> {
    const form: Record<string, string> = accountId === undefined ? {} : { account_id: accountId };
    const browser = await sessionOf(this.#steward, this.#token);
    const begun = await browser.visit(`/auth/sources/${this.#source}/connect`, { token: this.#token, form });
    if (begun.status !== 200) return `${begun.status} ${begun.text}`;
    let next: string = begun.body.login_url;
    for (let hops = 0; hops < MOST_HOPS; hops += 1) {
      const location = next.startsWith(this.#steward.url) ? await ownLocation(browser, next) : await locationAt(next);
      if (location === undefined) return `no redirect at ${new URL(next).pathname}`;
      next = new URL(location, next).href;
      const { searchParams } = new URL(next);
      if (searchParams.has('integration')) return [searchParams.get('status'), searchParams.get('code')].filter(Boolean).join(' ');
    }
    return 'redirected too often';
  }

  /** Where the sign-in has moved to another server, a new account takes the place of the old one. */
  async connectAgain(): Promise<string> {
    const { id } = await this.account();
    const again = await this.connect(id);
    if (!again.startsWith('409')) return again;
    await this.disconnect();
    return this.connect();
  }

  async disconnect(): Promise<void> {
    const { id } = await this.account();
    await this.#steward.call(`/auth/sources/accounts/${id}`, { token: this.#token, method: 'DELETE' });
  }

  /** State of each tool, by name. */
  async tools(): Promise<Record<string, string>> {
    const { id } = await this.account();
    const { body } = await this.#steward.call(`/auth/sources/accounts/${id}/tools`, { token: this.#token });
    return Object.fromEntries(body.tools.map(({ tool, state }: { tool: string; state: string }) => [tool, state]));
  }

  /** The account, once its tools were read or it has to be connected again. */
  async account(): Promise<Account> {
    return eventually(async (): Promise<Account> => {
      const { body } = await this.#steward.call('/auth/sources/accounts', { token: this.#token });
      const [account] = body.accounts;
      if (account.listed_at === null && account.status === 'active') throw new Error('its tools are not read yet');
      return account;
    }, PATIENCE_MS);
  }

  /** @returns status and body of the response */
  async call(tool: string, input: object): Promise<{ status: number; body: any }> {
    const headers = { 'content-type': 'application/json' };
    const path = `/agents/${this.#source}.t${this.#tools.indexOf(tool)}`;
    return this.#steward.call(path, { token: this.#token, body: JSON.stringify(input), headers });
  }

  /** A call that the account's permission doesn't cover is made again after a sign-in. @returns `ok`, or the code of its error */
  async callWithSignIns(tool: string, input: object): Promise<string> {
    for (let signIns = 0; ; signIns += 1) {
      const { status, body } = await this.call(tool, input);
      if (status === 200) return 'ok';
      const code: string = body?.code ?? String(status);
      if (!/reauth_required|missing_scopes/.test(code) || signIns === MOST_SIGN_INS) return code;
      const again = await this.connectAgain();
      if (again !== 'connected') return `${code}: ${again}`;
    }
  }
}

/** Where a page of the service's own leads, once its form is posted. */
async function ownLocation(browser: FormBrowser, url: string): Promise<string | undefined> {
  const page = await browser.visit(url);
  const answered = page.status === 200 ? await browser.submit(page, url, () => {}, { accept: '*/*' }) : page;
  return answered.headers.get('location') ?? undefined;
}

async function locationAt(url: string): Promise<string | undefined> {
  const response = await fetch(url, { redirect: 'manual' });
  await response.body?.cancel();
  return response.headers.get('location') ?? undefined;
}
