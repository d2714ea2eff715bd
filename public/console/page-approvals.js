import { asFailures, showResult } from './page-agents.js';
import { inputEditor, rememberField } from './page-decision.js';
import { byId, element, replaceItems, run, show } from './page-dom.js';
import { Failure } from './page-request.js';
import { visibleJson, visibleText } from './page-text.js';

const EVENTS_SHOWN = 20;
const REJECTED = { code: 'invalid_request', status: 0 };

/** The pending approvals, with the exact arguments of each call, which the user can change. */
export class ApprovalsPanel {
  #client;
  #list = byId('approvals');
  #result = byId('approvals-result');
  /** What is shown, by its text: what a user has begun to write survives an event. */
  #entries = new Map();
  #ids = new Set();
  #turn = 0;

  constructor(client) {
    this.#client = client;
  }

  async refresh() {
    const turn = ++this.#turn;
    const requests = [this.#client.approvals(), this.#client.list()];
    const [approvals, { agents }] = await asFailures(Promise.all(requests));
    const actions = new Map(agents.flatMap((agent) => agent.actions.map((action) => [action.name, action])));
    if (turn === this.#turn) this.#render(approvals, actions);
  }

  clear() {
    this.#turn++;
    this.#entries.clear();
    this.#ids.clear();
    this.#list.replaceChildren();
    this.#result.replaceChildren();
  }

  #render(approvals, actions) {
    const before = this.#entries;
    this.#entries = new Map(
      approvals.map((approval) => {
        const text = JSON.stringify(approval);
        return [text, before.get(text) ?? this.#entry(approval, actions.get(approval.action))];
      }),
    );
    const texts = [...this.#entries.keys()];
    // How an earlier call ended must not stand above another question.
    if (approvals.some(({ approvalId }) => !this.#ids.has(approvalId))) this.#result.replaceChildren();
    this.#ids = new Set(approvals.map(({ approvalId }) => approvalId));
    if (texts.length > 0 && texts.length === before.size && texts.every((text) => before.has(text))) return;
    const empty = element('li', { className: 'empty' }, 'No pending approvals.');
    replaceItems(this.#list, byId('approvals-title'), texts.length > 0 ? [...this.#entries.values()] : [empty]);
  }

  #entry(approval, configured) {
    const { approvalId, action, account, summary, audience, notices, input, expiresAt, url, client } = approval;
    const { field: days, read: readDays } = rememberField(approval, configured);
    const { field: editor, read: readInput, isChanged } = inputEditor(approvalId, input);
    const decide = (text, className, options) => {
      const node = element('button', { type: 'button', className, 'aria-label': `${text}: ${summary}` }, text);
      node.addEventListener('click', () => run(node, this.#result, () => this.#decide(approvalId, options())));
      return node;
    };
    const edited = decide('Approve with these arguments', 'button', () => ({ approved: true, input: readInput(), ...readDays() }));
    editor.append(edited);
    const approve = decide('Approve', 'button primary', () => {
      if (isChanged()) throw new Failure('The arguments are changed. Approve with these arguments, or close the editor.', REJECTED);
      return { approved: true, ...readDays() };
    });
    return element(
      'li',
      { className: 'entry approval' },
      element(
        'div',
        {},
        element('h3', {}, summary),
        client && element('p', {}, 'Asked by ', element('q', {}, element('bdi', {}, visibleText(client.name))), '.'),
        element('p', { className: 'seen' }, audience.length > 0 ? `Seen by ${audience.map(viewerText).join(', ')}.` : 'Seen by you only.'),
        ...notices.map((notice) => element('p', { className: 'notice' }, notice)),
        element('p', { className: 'detail' }, `${action} with ${account}, until ${time(expiresAt)}. `, pageLink(url, summary)),
      ),
      element('pre', { tabIndex: 0, 'aria-label': 'Arguments' }, visibleJson(input)),
      days,
      element(
        'div',
        { className: 'actions' },
        approve,
        decide('Deny', 'button', () => ({ approved: false })),
      ),
      editor,
    );
  }

  async #decide(approvalId, { approved, ...options }) {
    let outcome;
    try {
      const result = await asFailures(this.#client.approve(approvalId, approved, options));
      if (approved) showResult(result);
      outcome = ['done', approved ? 'Approved. The action has run.' : 'Denied. The action has not run.'];
    } catch (error) {
      if (error.code !== 'approval_required') throw error;
      outcome = ['warning', 'Others would see the changed call, so you are asked again. The action has not run.'];
    } finally {
      await this.refresh();
    }
    show(this.#result, ...outcome);
  }
}

function pageLink(href, summary) {
  return element('a', { href, 'aria-label': `Open its own page: ${summary}` }, 'Open its own page');
}

const RELATIONS = { own: ' (you)', written_to: ' (written to before)', new: ' (new)' };

function viewerText({ kind, address, domain, relation, named }) {
  if (kind === 'anyone') return 'anyone with the link';
  if (kind === 'unknown') return 'possibly others';
  if (kind === 'domain') return `everyone at ${domain}`;
  return `${kind === 'group' ? 'the group ' : ''}${address}${RELATIONS[relation] ?? ''}${named ? ' (named by you)' : ''}`;
}

/** The user's events, newest first. */
export class EventsPanel {
  #list = byId('events');

  constructor(client) {
    client.addEventListener('event', ({ detail }) => this.#add(detail));
  }

  clear() {
    this.#list.replaceChildren(element('li', { className: 'empty' }, 'No events yet.'));
  }

  #add({ seq, event, data }) {
    this.#list.querySelector('.empty')?.remove();
    const facts = Object.entries(data).map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
    this.#list.prepend(element('li', {}, element('code', {}, `${seq} ${event}`), ` ${facts.join(', ')}`));
    while (this.#list.children.length > EVENTS_SHOWN) this.#list.lastElementChild.remove();
  }
}

function time(text) {
  return new Date(text).toLocaleTimeString();
}
