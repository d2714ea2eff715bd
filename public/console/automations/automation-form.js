import { automations, automationForm as texts } from '../../language/en/automations.js';
import { button } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run, showError } from '../kit/feedback.js';
import { showFieldProblem } from '../kit/field.js';
import { choice, entered, inputField } from '../kit/form-parts.js';
import { addressTo } from '../page/page-address.js';
import { quotedName } from '../page/page-text.js';
import { budgetFields } from './budget-fields.js';
import { doesFields } from './does-fields.js';
import { eventFields } from './event-fields.js';
import { grantedAccounts } from './granted-accounts.js';
import { grantedActions } from './granted-actions.js';
import { scheduleFields } from './schedule-fields.js';

const LONGEST_NAME = 100;
/** Which field an error of the service is about: `trigger.filter.from: must be an address`. */
const FIELD_PROBLEM = /^([\w-]+(?:\.[\w-]+)*): (.+)$/s;

/**
 * The form that makes an automation, or changes one.
 *
 * @param value what it holds at first: an automation, or a part of one without an id
 * @returns `{node}`
 */
export function automationForm(session, store, value) {
  return { node: new AutomationForm(session, store, value).card };
}

class AutomationForm {
  #session;
  #automations;
  #value;
  #name;
  #when = element('div', {});
  #what = element('div', { className: 'what' });
  #rights = element('div', {});
  #trigger;
  #does;
  #actions;
  #accounts;
  #asked;
  #budget;
  #result = element('div', { className: 'result', role: 'alert' });
  #form;

  constructor(session, automations, value) {
    this.#session = session;
    this.#automations = automations;
    this.#value = value;
    const { name = '', trigger, does, accounts = null, when_asked: asked = 'wait', budget } = value;
    this.#name = inputField('name', texts.name, { value: name, required: true, maxLength: LONGEST_NAME, dir: 'auto' });
    const when = choice('trigger', texts.when, textsOf(texts.whens), { value: trigger.type, changed: (type) => this.#showTrigger(type) });
    const what = choice('does', texts.does, Object.entries(texts.doings), { value: does.type, changed: (type) => this.#showDoes(type) });
    this.#accounts = grantedAccounts(session, accounts);
    this.#asked = choice('when_asked', texts.whenAsked, Object.entries(texts.waysToAsk), { value: asked });
    this.#budget = budgetFields(budget);
    when.node.append(this.#when);
    what.node.append(this.#what);
    this.#rights.className = 'rights';
    this.#form = element('form', { className: 'parts-form' }, this.#name, when.node, what.node, this.#rights, this.#result, this.#foot());
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      run(
        this.#form.querySelector('[type="submit"]'),
        (error) => this.#failed(error),
        () => this.#save(),
      );
    });
    this.#showTrigger(trigger.type);
    this.#showDoes(does.type);
    this.card = card({ id: 'automation-form', title: value.id === undefined ? texts.new : texts.edit }, this.#form);
  }

  #foot() {
    const { id } = this.#value;
    const back = id === undefined ? '#automations' : `#${addressTo('automations', id)}`;
    return element(
      'p',
      { className: 'row' },
      button(texts.save, { type: 'submit', className: 'primary' }),
      element('a', { className: 'button', href: back }, texts.cancel),
    );
  }

  /** What was entered for the other way is gone. */
  #showTrigger(type) {
    const { trigger } = this.#value;
    const fields = type === 'schedule' ? scheduleFields : eventFields;
    this.#trigger = fields(this.#session, trigger.type === type ? trigger : {});
    this.#when.replaceChildren(this.#trigger.node);
  }

  /** One action needs no other, and to tell the user needs none. */
  #showDoes(type) {
    const { does, actions, ticked } = this.#value;
    const isSame = does.type === type;
    this.#does = doesFields(this.#session, type, isSame ? does : {});
    this.#actions = type === 'prompt' ? grantedActions(this.#session, isSame ? actions : undefined, ticked) : undefined;
    this.#what.replaceChildren(...this.#does.nodes);
    const parts = {
      prompt: [this.#actions, this.#accounts, this.#asked, this.#budget],
      action: [this.#asked, this.#budget],
      notify: [this.#budget],
    };
    this.#rights.replaceChildren(...parts[type].map(({ node }) => node));
  }

  async #save() {
    this.#clear();
    const { id } = this.#value;
    const { name } = await this.#automations.save(id, this.#read());
    this.#session.notify('done', automations.saved(quotedName(name)));
    this.#session.go(id === undefined ? 'automations' : addressTo('automations', id), { replace: true });
  }

  #read() {
    const does = this.#does.read();
    const granted = { prompt: () => this.#actions.read(), action: () => [does.action], notify: () => [] };
    return {
      name: entered(this.#name) ?? '',
      trigger: this.#trigger.read(),
      does,
      actions: granted[does.type](),
      accounts: does.type === 'prompt' ? this.#accounts.read() : null,
      when_asked: this.#asked.read(),
      budget: this.#budget.read(),
    };
  }

  #clear() {
    this.#result.replaceChildren();
    for (const control of this.#form.querySelectorAll('[data-path]')) showFieldProblem(control, '');
  }

  /** Beside the field that the error is about, if it is about one. */
  #failed(error) {
    const [, path, problem] = FIELD_PROBLEM.exec(error.message) ?? [];
    const inInput = path?.startsWith('does.input.') && this.#does.showProblem(`${path.slice('does.input.'.length)}: ${problem}`);
    if (inInput || this.#showAt(path, problem)) return;
    if (error instanceof SyntaxError) this.#result.replaceChildren(element('p', { className: 'error' }, error.message));
    else showError(this.#result, error);
  }

  /** At the field, or the group of fields around it. */
  #showAt(path, problem) {
    for (let rest = path; rest; rest = rest.slice(0, Math.max(0, rest.lastIndexOf('.')))) {
      const control = this.#form.querySelector(`[data-path="${rest}"]`);
      if (control === null) continue;
      showFieldProblem(control, `${problem.charAt(0).toUpperCase()}${problem.slice(1)}${/[.!?]$/.test(problem) ? '' : '.'}`);
      const folded = control.closest('details');
      if (folded !== null) folded.open = true;
      const focused = control.matches('fieldset') ? control.querySelector('input, select, summary') : control;
      focused.focus();
      control.scrollIntoView({ block: 'nearest' });
      return true;
    }
    return false;
  }
}

function textsOf(titles) {
  return Object.entries(titles).map(([value, title]) => [value, [title]]);
}
