import { actionName } from '../../language/en/actions.js';
import { gone } from '../../language/en/frame.js';
import { form as texts } from '../../language/en/runs.js';
import { button } from '../kit/button.js';
import { card, tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { field } from '../kit/field.js';
import { showRegion } from '../kit/states.js';
import { addressTo } from '../page/page-address.js';
import { Failure } from '../page/page-request.js';
import { controlsOf, restoreControls } from './form-controls.js';
import { schemaForm } from './schema-form.js';

/** The form of the selected action. */
export class ActionForm {
  #session;
  #agents = [];
  #name;
  #fields;
  #title = element('h2', { id: 'action-title', tabIndex: -1 }, texts.title);
  #facts = element('p', { className: 'facts' });
  #about = element('p', { className: 'muted about' });
  #account = element('select', { id: 'action-account' });
  #accountField = field(texts.account, this.#account);
  #inputs = element('div', { className: 'fields' });
  #run = button(texts.run, { type: 'submit', className: 'primary', disabled: true });
  #problem = element('div', { className: 'result', role: 'alert' });
  #form;

  constructor(session) {
    this.#session = session;
    this.#form = element(
      'form',
      { id: 'action-form' },
      this.#accountField,
      this.#inputs,
      element('div', { className: 'row' }, this.#run),
      this.#problem,
    );
    this.#form.addEventListener('input', () => session.drafts.keep(addressTo('actions', this.#name), controlsOf(this.#inputs)));
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    const body = element('div', {});
    this.card = card({ id: 'action', title: '' }, body);
    this.card.firstElementChild.replaceWith(this.#title);
    const show = () => this.#enable();
    session.link.addEventListener('change', show);
    const content = [this.#facts, this.#about, this.#form];
    showRegion(body, session.agents, (agents) => {
      this.#agents = agents;
      return content;
    });
  }

  /** Shows the form of an action. The input stays if it is the same one. @param name undefined: there is none @param wanted in its place */
  choose(name, wanted) {
    const agent = this.#agents.find(({ actions }) => actions.some((one) => one.name === name));
    const action = agent?.actions.find((one) => one.name === name);
    const before = this.#fields;
    const notThere = [gone.action.text, ' ', element('a', { href: '#actions' }, gone.action.way)];
    this.#name = action?.name;
    this.#form.hidden = action === undefined;
    this.#title.textContent = action === undefined ? texts.title : actionName(action.name);
    this.#facts.replaceChildren(...(action === undefined ? [] : facts(agent, action)));
    this.#about.replaceChildren(...(name === undefined && wanted !== undefined ? notThere : [action?.description ?? '']));
    // Ready without an account: its actions use none.
    this.#accountField.hidden = agent?.status === 'ready' && agent.accounts.length === 0;
    this.#fillAccounts(agent?.accounts ?? []);
    this.#enable();
    if (action !== undefined && before?.schema === JSON.stringify(action.input) && before.name === action.name) return;
    this.#problem.replaceChildren();
    this.#fields = action && {
      name: action.name,
      schema: JSON.stringify(action.input),
      ...schemaForm(action, `input-${name.replace('.', '-')}`),
    };
    this.#inputs.replaceChildren(...(this.#fields?.nodes ?? []));
    if (action !== undefined) restoreControls(this.#inputs, this.#session.drafts.get(addressTo('actions', name)));
  }

  /** Nothing is selected only where nothing is preferred and there are several: then the user has to. */
  #fillAccounts(accounts) {
    const chosen = this.#account.value;
    const options = accounts.map(({ id, label, masks, default: preferred }) => {
      const text = preferred ? texts.preferred(label) : masks ? texts.masked(label, masks) : label;
      return element('option', { value: id }, text);
    });
    const preferred = accounts.find((one) => one.default) ?? (accounts.length === 1 ? accounts[0] : undefined);
    const prompt = accounts.length === 0 ? texts.noAccount : texts.selectAccount;
    this.#account.replaceChildren(...(preferred === undefined ? [element('option', { value: '' }, prompt)] : []), ...options);
    this.#account.required = accounts.length > 0;
    if (accounts.some(({ id }) => id === chosen)) this.#account.value = chosen;
    else this.#account.value = preferred?.id ?? '';
  }

  #enable() {
    this.#run.disabled = this.#name === undefined || !this.#session.connected;
    this.#run.title = this.#session.connected ? '' : texts.notConnected;
  }

  #submit() {
    this.#problem.replaceChildren();
    try {
      // A call would wait for the connection, and run when nobody expects it any more.
      if (!this.#session.connected) throw new Failure(texts.offline, { code: 'disconnected' });
      const { value } = this.#account;
      const account = value === '' ? undefined : { id: value, label: this.#session.nameOf(value) ?? texts.someAccount };
      const { id } = this.#session.runs.start({ action: this.#name, account, input: this.#fields.read() });
      this.#session.drafts.keep(addressTo('actions', this.#name), undefined);
      this.#session.go(addressTo('actions', this.#name, 'runs', id));
    } catch (error) {
      if (!(error instanceof Failure || error instanceof SyntaxError)) throw error;
      this.#problem.replaceChildren(element('p', { className: 'error' }, error.message));
    }
  }
}

function facts(agent, { name, effect, approval }) {
  const asks = approval === 'always' || (approval === 'destructive' && effect === 'destructive');
  const needs = texts.needs[agent.status];
  return [
    tag(effect === 'read' ? '' : effect === 'write' ? 'attention' : 'bad', texts.effects[effect]),
    asks ? tag('attention', texts.needsApproval) : undefined,
    needs === undefined
      ? undefined
      : element('span', { className: 'muted' }, needs, ' ', element('a', { href: '#accounts' }, texts.accounts)),
    element('code', { className: 'muted' }, name),
  ].filter((one) => one !== undefined);
}
