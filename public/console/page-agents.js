import { StewardError } from '../../client/steward-client.js';
import { byId, element, run, show } from './page-dom.js';
import { Failure } from './page-request.js';
import { schemaForm } from './page-schema-form.js';

const NEEDS = {
  not_connected: 'No account of this agent’s provider is connected.',
  needs_attention: 'An account of this agent needs attention.',
  not_configured: 'The provider is not configured on this server.',
};

/** The card of the agents: select an action, fill in its form, run it, show the result. */
export class AgentsPanel {
  #client;
  #card = byId('agents');
  #result = this.#card.querySelector('.result');
  #agents = [];
  #form;
  #running;
  #turn = 0;

  /** @param client StewardClient of the signed-in user */
  constructor(client) {
    this.#client = client;
    byId('action').addEventListener('change', () => this.#choose());
    byId('action-form').addEventListener('submit', (event) => {
      event.preventDefault();
      run(byId('run-action'), this.#result, () => this.#call());
    });
    byId('stop-action').addEventListener('click', () => this.#running?.abort());
  }

  /** Reloads agents, accounts and actions. Keeps the selection and the input if the action still exists. */
  async refresh() {
    const turn = ++this.#turn;
    const { agents } = await asFailures(this.#client.list());
    if (turn !== this.#turn) return;
    const before = JSON.stringify(this.#agents);
    this.#agents = agents;
    if (before !== JSON.stringify(agents)) this.#render();
  }

  clear() {
    this.#turn++;
    this.#running?.abort();
    this.#agents = [];
    this.#result.replaceChildren();
    byId('action-result').replaceChildren();
    this.#render();
  }

  #render() {
    const select = byId('action');
    const chosen = select.value;
    const groups = this.#agents
      .filter(({ actions }) => actions.length > 0)
      .map(({ name, actions }) =>
        element('optgroup', { label: name }, ...actions.map((action) => element('option', { value: action.name }, action.name))),
      );
    select.replaceChildren(...groups);
    const kept = [...select.options].some(({ value }) => value === chosen);
    if (kept) select.value = chosen;
    this.#choose();
  }

  #choose() {
    const agent = this.#agents.find(({ actions }) => actions.some(({ name }) => name === byId('action').value));
    const action = agent?.actions.find(({ name }) => name === byId('action').value);
    const accounts = byId('action-account');
    const chosen = accounts.value;
    const options = (agent?.accounts ?? []).map(({ id, label, masks, default: preferred }) =>
      element('option', { value: id }, preferred ? `${label} (default)` : masks ? `${label} (…${masks.join(', …')})` : label),
    );
    accounts.replaceChildren(element('option', { value: '' }, '– default account –'), ...options);
    if (options.some(({ value }) => value === chosen)) accounts.value = chosen;
    byId('action-about').textContent = action === undefined ? '' : about(agent, action);
    byId('run-action').disabled = action === undefined;
    if (this.#form?.action === action?.name) return;
    this.#form = action && { action: action.name, ...schemaForm(action.input, `input-${action.name.replace('.', '-')}`) };
    byId('action-fields').replaceChildren(...(this.#form?.nodes ?? []));
  }

  async #call() {
    const { action, read } = this.#form;
    const input = readInput(read);
    const account = byId('action-account').value || undefined;
    const stop = byId('stop-action');
    this.#running = new AbortController();
    stop.hidden = false;
    byId('action-result').replaceChildren();
    const progress = ({ ms, message }) => show(this.#result, 'done', message ?? `Running for ${Math.round(ms / 1000)} s …`);
    try {
      const options = { account, signal: this.#running.signal, idempotencyKey: crypto.randomUUID(), onProgress: progress };
      showResult(await this.#client.call(action, input, options));
      this.#result.replaceChildren();
    } catch (error) {
      if (error.code === 'approval_required') show(this.#result, 'warning', 'This action needs your approval. See “Approvals”.');
      else throw toFailure(error);
    } finally {
      stop.hidden = true;
      this.#running = undefined;
    }
  }
}

/** Shows the result of an action as text, never as markup. */
export function showResult({ data, meta }) {
  const took = meta === undefined ? '' : `${meta.account} · ${meta.ms} ms${meta.truncated ? ' · truncated' : ''}`;
  byId('action-result').replaceChildren(
    element('p', { className: 'muted' }, took),
    element('pre', { tabIndex: 0, 'aria-label': 'Result' }, JSON.stringify(data, null, 2)),
  );
}

/** Converts the client's errors to the page's. */
export async function asFailures(promise) {
  try {
    return await promise;
  } catch (error) {
    throw toFailure(error);
  }
}

function toFailure(error) {
  if (error instanceof StewardError) {
    const superseded = error.code === 'closed' || error.code === 'signed_out';
    return new Failure(error.message, { code: error.code, status: 0, superseded });
  }
  if (error.name === 'AbortError') return new Failure('Stopped.', { code: 'aborted', status: 0 });
  return error;
}

function readInput(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError) throw new Failure(error.message, { code: 'invalid_request', status: 0 });
    throw error;
  }
}

function about(agent, { description, effect, approval }) {
  const asks = approval === 'always' || (approval === 'destructive' && effect === 'destructive');
  return [description, effect === 'read' ? '' : `Effect: ${effect}.`, asks ? 'Needs your approval.' : '', NEEDS[agent.status] ?? '']
    .filter((part) => part !== '')
    .join(' ');
}
