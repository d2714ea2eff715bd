import { actionName } from '../../language/en/actions.js';
import { gone } from '../../language/en/frame.js';
import { runs as texts } from '../../language/en/runs.js';
import { button, copyButton } from '../kit/button.js';
import { card, tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { requestIdOf } from '../kit/feedback.js';
import { emptyItem } from '../kit/list.js';
import { addressTo } from '../page/page-address.js';
import { formatter } from '../page/page-format.js';
import { visibleJson } from '../page/page-text.js';
import { resultView } from '../results/result-view.js';

const TONES = { running: '', waiting: 'attention', done: 'good', failed: 'bad', denied: 'bad' };

/** The calls made in this tab, each with what was sent and what came back. The newest is open. */
export class RunList {
  #session;
  #list = element('ul', { className: 'entries runs', 'aria-labelledby': 'runs-title' });
  #gone = element('p', { className: 'muted' });
  #items = new Map();
  /** Says how the newest call stands, for those who don't see it. */
  #status = element('p', { className: 'unseen', role: 'status' });

  constructor(session) {
    this.#session = session;
    this.card = card({ id: 'runs', title: texts.title, about: texts.about }, this.#gone, this.#list, this.#status);
    this.#list.append(emptyItem(texts.none));
    session.runs.addEventListener('change', ({ detail }) => this.#show(detail));
  }

  /** @param id of the run that the address names; undefined: none */
  open(id) {
    const isGone = id !== undefined && !this.#items.has(id);
    this.#gone.replaceChildren(...(isGone ? [gone.run] : []));
    if (id === undefined || isGone) return;
    for (const [one, { details }] of this.#items) details.open = one === id;
    this.#items.get(id).node.scrollIntoView({ block: 'nearest' });
  }

  #show(run) {
    const before = this.#items.get(run.id);
    const item = before ?? this.#add(run);
    item.update(run);
    if (before === undefined || run.endedAt !== undefined) item.node.scrollIntoView({ block: 'nearest' });
    this.#status.textContent = texts.spoken(actionName(run.action), texts.states[run.state]);
  }

  #add(run) {
    const item = new RunItem(run, this.#session);
    this.#items.set(run.id, item);
    this.#list.querySelector('.empty')?.remove();
    this.#list.prepend(item.node);
    for (const [id, { node }] of this.#items) {
      if (this.#session.runs.list.some((one) => one.id === id)) continue;
      node.remove();
      this.#items.delete(id);
    }
    return item;
  }
}

class RunItem {
  #session;
  #head = element('summary', {});
  #body = element('div', { className: 'run-body' });
  #progress = element('span', {});
  #drawn;

  constructor({ id, action, input }, session) {
    this.#session = session;
    const sent = visibleJson(input);
    const name = actionName(action);
    this.details = element(
      'details',
      { open: true },
      this.#head,
      this.#body,
      element(
        'details',
        { className: 'sent' },
        element('summary', {}, texts.input),
        element(
          'div',
          { className: 'lines' },
          element('pre', { tabIndex: 0, 'aria-label': texts.inputOf(name) }, sent),
          copyButton(sent, texts.copyOf(name)),
        ),
      ),
    );
    this.#head.addEventListener('click', (event) => {
      event.preventDefault();
      if (this.details.open) this.details.open = false;
      else session.go(addressTo('actions', action, 'runs', id));
    });
    this.node = element('li', { className: 'run' }, this.details);
  }

  update(run) {
    const { action, account, state, startedAt, endedAt, result } = run;
    const where = result?.meta?.account ?? account?.label ?? texts.noAccount;
    const took = result?.meta?.ms ?? (endedAt === undefined ? undefined : endedAt - startedAt);
    this.node.dataset.state = state;
    this.node.setAttribute('data-action', action);
    this.#head.replaceChildren(
      element('strong', { title: action }, actionName(action)),
      tag(TONES[state], texts.states[state]),
      element('span', { className: 'muted' }, texts.facts(where, formatter.time(startedAt), took)),
    );
    this.#progress.textContent = run.progress ?? texts.progress;
    // Drawn once for each state, because the focus may be on the button.
    if (this.#drawn === state) return;
    this.#drawn = state;
    const held = this.#body.contains(document.activeElement);
    this.#body.replaceChildren(...this.#content(run));
    if (held) this.#head.focus();
  }

  #content(run) {
    const { action, state, result, failure, url } = run;
    if (state === 'running') return [element('div', { className: 'row middle' }, this.#progress, this.#stopButton(run))];
    if (state === 'waiting') {
      const [before, after] = texts.asks;
      const question = [before, element('a', { href: '#approvals' }, texts.approvals), after];
      const page = url === undefined ? undefined : element('a', { href: url }, texts.ownPage);
      return [element('p', { className: 'warning' }, ...question, ' ', page)];
    }
    if (state === 'done') {
      const cut = result.meta?.truncated ? [element('p', { className: 'muted' }, result.meta.hint)] : [];
      return [...cut, resultView(action, result.data, result.meta)];
    }
    return [element('p', { className: 'error', title: failure.code ?? '' }, failure.message, ' ', requestIdOf(failure))];
  }

  #stopButton(run) {
    const stop = button(texts.stop, { name: actionName(run.action), className: 'small' });
    stop.addEventListener('click', () => this.#session.runs.stop(run));
    return stop;
  }
}
