import { StewardClient } from '../../../client/steward-client.js';
import { frame } from '../../language/en/frame.js';
import { confirmed } from '../kit/dialog.js';
import { allAccounts, labelOf } from './page-accounts.js';
import { goTo } from './page-address.js';
import { Link } from './page-connection.js';
import { Drafts } from './page-drafts.js';
import { EventFeed } from './page-events.js';
import { keepPreferences } from './page-preferences.js';
import { call, Failure } from './page-request.js';
import { Runs } from './page-runs.js';
import { Store } from './page-store.js';
import { clearUnreachable, notify, notifyOfError } from './page-toasts.js';

/** Which data an event changes, by the first part of its name. */
const CHANGES = {
  account: ['accounts', 'agents', 'approvals', 'allowances', 'audit'],
  approval: ['approvals', 'audit'],
  allowance: ['allowances', 'audit'],
  token: ['clients', 'allowances', 'audit'],
  client: ['clients', 'allowances', 'audit'],
  source: ['accounts', 'agents', 'approvals'],
  integrations: ['accounts', 'agents', 'approvals', 'allowances'],
  resync: ['accounts', 'agents', 'approvals', 'allowances', 'clients', 'audit'],
};

const DAY_MS = 24 * 60 * 60 * 1000;
const AUDIT_MOST = 1_000;
const GATHER_MS = 50;

/** What the views know of the signed-in user. There is one for each sign-in; it ends with {@link close}. */
export class Session {
  #signIn;
  #ended = new AbortController();
  #stale = new Set();

  /** @param signIn SignIn of a signed-in user @param server see page-connection.js */
  constructor(signIn, { server }) {
    this.#signIn = signIn;
    const { user, operator } = signIn.session;
    this.user = user;
    /** Whether the user may see the state of the service. */
    this.operator = operator;
    /** Whether the providers are the sandbox's. */
    this.sandbox = signIn.ways.sandbox;
    /** Whether the service is a developer's: only there the page takes a pasted token. */
    this.isDevelopment = signIn.ways.token;
    this.events = new EventFeed(this.user);
    this.drafts = new Drafts(user, this.signal);
    this.client = new StewardClient({
      url: location.origin,
      session: (why) => this.#credential(why),
      store: this.events.store,
    });
    this.link = new Link(this.client, server, this.signal);
    signIn.addEventListener('renewed', () => this.client.connect().catch(() => {}), { signal: this.signal });
    this.accounts = new Store(() => this.#loadAccounts());
    this.agents = new Store(async () => (await this.client.list()).agents);
    this.approvals = new Store(() => this.client.approvals());
    this.allowances = new Store(async () => (await this.request('GET', '/allowances')).allowances);
    this.clients = new Store(async () => (await this.request('GET', '/clients')).clients);
    this.audit = new Store(() => this.#loadAudit());
    this.threads = new Store(async () => (await this.request('GET', '/threads?limit=20')).threads);
    this.preferences = new Store(() => this.request('GET', '/user/preferences'));
    this.models = new Store(() => this.request('GET', '/models'));
    this.runs = new Runs(this);
    this.events.listen(this.client);
    this.events.addEventListener('change', ({ detail }) => this.#changed(detail.event));
    this.runs.addEventListener('change', ({ detail }) => detail.state !== 'running' && this.load('audit'));
    this.link.addEventListener('change', () => {
      if (!this.connected) return;
      clearUnreachable();
      this.load(...CHANGES.resync);
    });
  }

  /** Connects, and loads what is shown. */
  open() {
    this.client.connect().catch(() => {});
    keepPreferences(this);
    this.load('threads', 'models');
  }

  /** Aborted when the user signs out. */
  get signal() {
    return this.#ended.signal;
  }

  /** Whether calls can be sent now. */
  get connected() {
    return this.link.isOpen;
  }

  /** Shows a message: 'done', 'warning' or 'error'. @returns removes it */
  notify(kind, text, ...details) {
    return this.signal.aborted ? () => {} : notify(kind, text, ...details);
  }

  /** Shows an error of `request` or of the client. */
  fail = (error) => {
    if (!this.signal.aborted) notifyOfError(error);
  };

  /** Asks in a dialog. @returns whether the user confirmed */
  confirm(question) {
    return confirmed(question);
  }

  /** Shows an address within the console, as `addressTo` makes it. @param options.replace Back does not lead to the one before it */
  go(address, options) {
    if (!this.signal.aborted) goTo(address, options);
  }

  /** Loads some of the stores again. @param names e.g. 'accounts' */
  async load(...names) {
    const results = await Promise.allSettled(names.map((name) => this[name].refresh()));
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed !== undefined) this.fail(failed.reason);
  }

  /** The name of a connected account. */
  nameOf(accountId) {
    const account = allAccounts(this.accounts.value).find(({ id }) => id === accountId);
    return account && labelOf(account);
  }

  /**
   * Calls the service as the signed-in user. Where the session has ended, or the call requires a recent sign-in, the user
   * can sign in again over the page; the call is then repeated.
   *
   * @param content the request's `form` or `json`
   * @throws Failure
   */
  async request(method, path, content, isRepeated = false) {
    const { csrf } = this.#signIn;
    try {
      const body = await call(method, path, { csrf, ...content });
      if (!this.signal.aborted) return body;
    } catch (error) {
      const isMended = !this.signal.aborted && !isRepeated && (await this.#signIn.mends(error, csrf));
      if (!this.signal.aborted) {
        if (isMended) return this.request(method, path, content, true);
        throw error;
      }
    }
    // The response belongs to a user who has signed out.
    throw new Failure(frame.noLongerSignedIn, { code: 'superseded', superseded: true });
  }

  signOut(reason) {
    return this.#signIn.signOut(reason);
  }

  close() {
    this.#ended.abort();
    this.client.close();
  }

  /** For the client. @returns undefined: nobody is signed in */
  async #credential(why) {
    if (why === 'refused') await this.#signIn.look();
    return this.signal.aborted ? undefined : this.#signIn.csrf;
  }

  async #loadAccounts() {
    const paths = ['/auth/workspace/accounts', '/auth/bank/accounts', '/auth/sources/accounts', '/read-only'];
    const [workspace, bank, sources, { read_only: switches }] = await Promise.all(paths.map((path) => this.request('GET', path)));
    const readOnly = new Map(switches.filter((one) => one.client_id === null).map((one) => [one.account_id, one.id]));
    const withSwitch = (account) => ({ ...account, readOnly: readOnly.get(account.id) });
    return {
      workspace: workspace.accounts.map(withSwitch),
      bank: bank.accounts.map(withSwitch),
      sources: sources.accounts.map(withSwitch),
      /** The sources that can be connected. */
      offered: sources.sources,
    };
  }

  /** The audit log of the last day, and where it continues. */
  async #loadAudit() {
    const entries = [];
    let cursor;
    do {
      const page = await this.request('GET', `/user/audit?limit=200${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
      entries.push(...page.entries);
      cursor = page.next_cursor;
    } while (cursor !== null && entries.length < AUDIT_MOST && Date.now() - Date.parse(entries.at(-1).at) < DAY_MS);
    return { entries, cursor };
  }

  /** Events that arrive together are one reason to load. */
  #changed(event) {
    const isScheduled = this.#stale.size > 0;
    for (const name of CHANGES[event.split('.')[0]] ?? []) this.#stale.add(name);
    if (isScheduled || this.#stale.size === 0) return;
    setTimeout(() => {
      const names = [...this.#stale];
      this.#stale.clear();
      if (!this.signal.aborted) this.load(...names);
    }, GATHER_MS);
  }
}
