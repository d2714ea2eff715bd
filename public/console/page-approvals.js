import { asFailures, showResult } from './page-agents.js';
import { byId, element, replaceItems, run, show } from './page-dom.js';

const EVENTS_SHOWN = 20;

/** The pending approvals, with the exact arguments of each call. */
export class ApprovalsPanel {
  #client;
  #list = byId('approvals');
  #result = byId('approvals-result');
  #turn = 0;

  constructor(client) {
    this.#client = client;
  }

  async refresh() {
    const turn = ++this.#turn;
    const approvals = await asFailures(this.#client.approvals());
    if (turn === this.#turn) this.#render(approvals);
  }

  clear() {
    this.#turn++;
    this.#list.replaceChildren();
    this.#result.replaceChildren();
  }

  #render(approvals) {
    const empty = element('li', { className: 'empty' }, 'No pending approvals.');
    replaceItems(this.#list, byId('approvals-title'), approvals.length > 0 ? approvals.map((one) => this.#entry(one)) : [empty]);
  }

  #entry({ approvalId, action, account, summary, audience, notices, input, expiresAt }) {
    const button = (text, className, approved) => {
      const node = element('button', { type: 'button', className, 'aria-label': `${text}: ${summary}` }, text);
      node.addEventListener('click', () => run(node, this.#result, () => this.#decide(approvalId, approved)));
      return node;
    };
    return element(
      'li',
      { className: 'entry approval' },
      element(
        'div',
        {},
        element('h3', {}, summary),
        element('p', { className: 'detail' }, `${action} with ${account}, until ${time(expiresAt)}`),
        ...(audience.length > 0 ? [element('p', {}, `Seen by ${audience.map(viewerText).join(', ')}.`)] : []),
        ...notices.map((notice) => element('p', { className: 'notice' }, notice)),
      ),
      element('pre', { tabIndex: 0, 'aria-label': 'Arguments' }, JSON.stringify(input, null, 2)),
      element('div', { className: 'actions' }, button('Approve', 'button primary', true), button('Deny', 'button', false)),
    );
  }

  async #decide(approvalId, approved) {
    try {
      const result = await asFailures(this.#client.approve(approvalId, approved));
      if (approved) showResult(result);
      show(this.#result, 'done', approved ? 'Approved. The action has run.' : 'Denied. The action has not run.');
    } finally {
      await this.refresh();
    }
  }
}

const RELATIONS = { own: ' (you)', written_to: ' (written to before)', new: ' (new)' };

function viewerText({ kind, address, domain, relation }) {
  if (kind === 'anyone') return 'anyone with the link';
  if (kind === 'unknown') return 'possibly others';
  if (kind === 'domain') return `everyone at ${domain}`;
  return `${kind === 'group' ? 'the group ' : ''}${address}${RELATIONS[relation] ?? ''}`;
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
