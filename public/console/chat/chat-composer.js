import { composer as texts } from '../../language/en/chat.js';
import { button } from '../kit/button.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { formatter } from '../page/page-format.js';
import { readableText } from '../page/page-text.js';

/** The field for messages, with the model and what is left of the day's budget. */
export class Composer {
  #on;
  #hasModel = true;
  #isWaiting = false;
  #drafts;
  #draft;
  #text = element('textarea', { id: 'chat-text', rows: 1, maxLength: 20_000, placeholder: texts.hint, autocomplete: 'off' });
  #send = button(texts.send, { type: 'submit', className: 'primary' });
  #stop = button(texts.stop, { className: 'danger', hidden: true });
  #model = element('select', { id: 'chat-model' });
  #models = element(
    'div',
    { className: 'chat-models', hidden: true },
    element('label', { htmlFor: 'chat-model' }, texts.model),
    this.#model,
  );
  #budget = element('p', { className: 'chat-budget' });

  /** @param on `send(text, model)` and `stop()` */
  constructor(session, on) {
    this.#on = on;
    this.#drafts = session.drafts;
    this.node = element(
      'form',
      { className: 'composer', 'aria-label': texts.message },
      element(
        'div',
        { className: 'composer-field' },
        element('label', { htmlFor: 'chat-text', className: 'unseen' }, texts.message),
        this.#text,
        this.#send,
        this.#stop,
      ),
      element('div', { className: 'composer-facts' }, this.#models, this.#budget),
    );
    this.node.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    this.#text.addEventListener('keydown', (event) => {
      // Enter also ends the composition of a character.
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#submit();
    });
    this.#text.addEventListener('input', () => this.#changed());
    this.#stop.addEventListener('click', () => run(this.#stop, session.fail, () => on.stop()));
    session.models.watch((value) => this.#show(value));
  }

  get model() {
    return this.#model.value || undefined;
  }

  focus() {
    this.#text.focus();
  }

  /** Puts a text back that was not sent, unless another one is there by now. */
  restore(text) {
    if (this.#text.value !== '') return;
    this.#text.value = text;
    this.#changed();
  }

  /** @param draft the id under which what is typed from now on is kept */
  keepFor(draft) {
    this.#draft = draft;
  }

  /** Shows what was typed for a conversation and not sent. @param draft its id among the drafts */
  take(draft) {
    this.keepFor(draft);
    this.#text.value = this.#drafts.get(draft) ?? '';
    this.#grow();
  }

  /** @param isAnswering the shown conversation has an answer under way @param isWaiting its last message waits for the connection */
  update({ isAnswering, isWaiting }) {
    const held = document.activeElement === this.#stop;
    this.#isWaiting = isWaiting;
    this.#enable();
    this.#stop.hidden = !isAnswering;
    this.#send.hidden = isAnswering;
    if (held && !isAnswering) this.focus();
  }

  #submit() {
    const text = this.#text.value.trim();
    if (text === '' || this.#send.hidden || this.#send.disabled) return;
    this.#text.value = '';
    this.#changed();
    this.#on.send(text, this.model);
  }

  #enable() {
    this.#send.disabled = !this.#hasModel || this.#isWaiting;
  }

  #changed() {
    this.#drafts.keep(this.#draft, this.#text.value || undefined);
    this.#grow();
  }

  #grow() {
    this.#text.rows = Math.min(8, this.#text.value.split('\n').length + Math.floor(this.#text.value.length / 100));
  }

  #show({ models, budget }) {
    const chosen = this.#model.value;
    this.#model.replaceChildren(
      ...models.map(({ name, stand_in: standIn }) =>
        element('option', { value: name }, standIn ? texts.standIn(name) : readableText(name)),
      ),
    );
    const preferred = models.find(({ name }) => name === chosen) ?? models.find((one) => one.default) ?? models[0];
    if (preferred !== undefined) this.#model.value = preferred.name;
    this.#models.hidden = models.length < 2;
    this.#hasModel = models.length > 0;
    this.#text.disabled = !this.#hasModel;
    this.#enable();
    this.#budget.textContent = budget === null ? '' : budgetText(budget);
  }
}

/** “Today: 3 of 200 answers · 12K tokens”. A limit may be absent. */
function budgetText(budget) {
  const parts = Object.entries(texts.budget)
    .filter(([name]) => budget[name] !== undefined)
    .map(([name, wordsOf]) => {
      const { used, limit } = budget[name];
      return wordsOf(limit ?? used, formatter.roughNumber(used), limit === null ? undefined : formatter.roughNumber(limit));
    });
  return parts.length === 0 ? '' : texts.today(parts.join(' · '));
}
