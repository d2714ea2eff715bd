import { newChannel as texts } from '../../language/en/notification-channels.js';
import { button, copyButton } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run, show, showError } from '../kit/feedback.js';
import { showFieldProblem } from '../kit/field.js';
import { choice, controlOf, inputField, tickBox } from '../kit/form-parts.js';
import { obstacle, subscribe } from './this-browser.js';

const LONGEST_ADDRESS = 254;
const LONGEST_URL = 2_048;
const FIELD_PROBLEM = /^(address|url|kinds)\b[\w.]*: (.+)$/s;

/** The form that adds a channel. @param channels store of them @param load loads them again */
export function newChannelCard(session, channels, load) {
  return new NewChannel(session, channels, load).card;
}

class NewChannel {
  #session;
  #channels;
  #load;
  #type = choice('type', texts.where, Object.entries(texts.wheres), { value: 'mail', changed: () => this.#show() });
  #fields = {
    mail: inputField('address', texts.address, { type: 'email', required: true, maxLength: LONGEST_ADDRESS, autocomplete: 'email' }),
    webhook: inputField('url', texts.url, { type: 'url', required: true, maxLength: LONGEST_URL, placeholder: texts.urlExample }),
  };
  #place = element('div', {});
  #kinds = element(
    'fieldset',
    { id: 'channel-kinds', className: 'ways field', 'data-path': 'kinds' },
    element('legend', {}, texts.kinds),
    ...Object.entries(texts.kindNames).map(([value, text]) => tickBox(text, { value, checked: true, about: texts.kindsAbout[value] })),
  );
  #summaries = tickBox(texts.summaries, { about: texts.summariesAbout });
  #add = button(texts.add.mail, { type: 'submit', className: 'primary' });
  #result = element('div', { className: 'result', role: 'status' });

  constructor(session, channels, load) {
    this.#session = session;
    this.#channels = channels;
    this.#load = load;
    const form = element(
      'form',
      { className: 'parts-form' },
      this.#type.node,
      this.#place,
      this.#kinds,
      this.#summaries,
      element('p', { className: 'row' }, this.#add),
      this.#result,
    );
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      run(
        this.#add,
        (error) => this.#failed(error),
        () => this.#make(),
      );
    });
    this.card = card({ id: 'new-channel', title: texts.title }, form);
    channels.watch(() => this.#show());
    this.#show();
  }

  #show() {
    const type = this.#type.read();
    const why = this.#obstacleOf(type);
    const field = why === undefined ? this.#fields[type] : element('p', { className: 'hint' }, texts.unavailable[why]);
    this.#place.replaceChildren(...(field === undefined ? [] : [field]));
    this.#add.textContent = texts.add[type];
    // What a channel needs is known with the list.
    this.#add.disabled = why !== undefined || this.#channels.value === undefined;
  }

  /** Why a channel can't be added: a name of {@link texts.unavailable}. */
  #obstacleOf(type) {
    const isOffered = this.#channels.value?.types.includes(type) ?? true;
    if (type === 'push' && isOffered) return obstacle();
    return isOffered ? undefined : type;
  }

  async #make() {
    this.#result.replaceChildren();
    for (const field of [...Object.values(this.#fields), this.#kinds])
      showFieldProblem(field.matches('fieldset') ? field : controlOf(field), '');
    const type = this.#type.read();
    const kinds = [...this.#kinds.querySelectorAll('input:checked')].map(({ value }) => value);
    const json = { type, ...(await this.#destination(type)), kinds, summaries: this.#summaries.querySelector('input').checked };
    const { label, secret } = await this.#session.request('POST', '/notifications/channels', { json });
    const shown = secret === undefined ? [] : [' ', texts.secret, element('code', {}, secret), ' ', copyButton(secret, texts.copySecret)];
    show(this.#result, 'done', texts.added[type](label), ...shown);
    for (const field of Object.values(this.#fields)) controlOf(field).value = '';
    await this.#load();
  }

  async #destination(type) {
    if (type === 'mail') return { address: controlOf(this.#fields.mail).value.trim() };
    return type === 'webhook' ? { url: controlOf(this.#fields.webhook).value.trim() } : subscribe(this.#channels.value.push_key);
  }

  #failed(error) {
    const [, path, problem] = FIELD_PROBLEM.exec(error.message) ?? [];
    const control = path && this.card.querySelector(`[data-path="${path}"]`);
    if (!control) return showError(this.#result, error);
    showFieldProblem(control, `${problem.charAt(0).toUpperCase()}${problem.slice(1)}${/[.!?]$/.test(problem) ? '' : '.'}`);
    (control.matches('fieldset') ? control.querySelector('input') : control).focus();
  }
}
