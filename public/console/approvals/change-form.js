import { CHANGE } from '../../language/en/questions.js';
import { schemaForm } from '../actions/schema-form.js';
import { element } from '../kit/dom.js';
import { showFieldProblem } from '../kit/field.js';
import { tabs } from '../kit/tabs.js';
import { Failure } from '../page/page-request.js';
import { visibleJson } from '../page/page-text.js';

/** The same question may be in two views at once, whose fields need ids of their own. */
let count = 0;

/**
 * The arguments of a question, to be changed: as the form of its action, and as JSON. What was changed in one is in the
 * other as soon as that is opened.
 */
export class ChangeForm {
  #id;
  #value;
  #schema;
  #form;
  #json;
  #isJson;
  #fields = element('div', { className: 'fields' });

  /** @param input the arguments @param schema of the action's input; undefined: it is not known */
  constructor(input, schema) {
    count += 1;
    this.#id = `change-${count}`;
    this.#value = input;
    this.#schema = schema;
    this.#json = element('textarea', { id: `${this.#id}-json`, rows: 10, spellcheck: false, autocomplete: 'off', dir: 'ltr' });
    const asForm = { name: CHANGE.form, build: () => this.#fields, opened: () => this.#showForm() };
    const asJson = { name: CHANGE.json, build: () => this.#jsonField(), opened: () => this.#showJson() };
    this.#isJson = !Object.entries(schema?.properties ?? {}).some((property) => isShown(...property));
    this.node = element('div', { className: 'change-form' }, tabs(CHANGE.tabs, this.#isJson ? [asJson] : [asForm, asJson]));
  }

  /** The changed arguments. @throws Failure that {@link showProblem} explains */
  read() {
    if (this.#isJson) return parsed(this.#json.value);
    try {
      const { names } = this.#form;
      const kept = Object.entries(this.#value).filter(([name]) => !names.includes(name));
      return { ...Object.fromEntries(kept), ...this.#form.read() };
    } catch (error) {
      throw new Failure(error.message, { code: 'invalid_request' });
    }
  }

  focus() {
    this.node.querySelector('.panel:not([hidden]) :is(input, textarea, select)')?.focus();
  }

  /** Says an error beside the field that it is about. @returns whether it is about one */
  showProblem({ message }) {
    if (!this.#isJson) return this.#form.showProblem(message);
    showFieldProblem(this.#json, message);
    this.#json.focus();
    return true;
  }

  #showForm() {
    if (this.#form !== undefined && !this.#isJson) return;
    this.#take();
    this.#isJson = false;
    this.#form = schemaForm({ input: this.#schema }, this.#id, { value: this.#value, isShown });
    this.#fields.replaceChildren(...this.#form.nodes);
  }

  #showJson() {
    if (this.#form !== undefined) this.#take();
    this.#isJson = true;
    this.#json.value = visibleJson(this.#value);
    showFieldProblem(this.#json, '');
  }

  /** Of the tab that is left, if it can be read. */
  #take() {
    if (this.#form === undefined) return;
    try {
      this.#value = this.read();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }

  #jsonField() {
    return element('div', { className: 'field' }, element('label', { htmlFor: this.#json.id }, CHANGE.jsonLabel), this.#json);
  }
}

/** Ids say nothing to people: they are in the JSON. */
function isShown(_name, { description = '' }) {
  return !/^ids? (?!or title)|\bby id\b/i.test(description);
}

/** @throws Failure */
function parsed(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The rest of the message is the browser's, in its own words.
    const [, line, column] = /line (\d+) column (\d+)/.exec(error.message) ?? [];
    const problem = line === undefined ? CHANGE.notJson : CHANGE.notJsonAt(line, column);
    throw new Failure(problem, { code: 'invalid_request' });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new Failure(CHANGE.notObject, { code: 'invalid_request' });
}
