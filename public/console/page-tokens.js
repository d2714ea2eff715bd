import { byId, copyButton, element, onSubmit, show } from './page-dom.js';

/** The form that makes personal access tokens. They are listed with the connected apps, which the event of each reloads. */
export class TokensPanel {
  #session;
  #result = byId('tokens').querySelector('.result');

  constructor(session) {
    this.#session = session;
    onSubmit(byId('token-create'), this.#result, (fields) => this.#make(fields));
  }

  clear() {
    this.#result.replaceChildren();
  }

  async #make({ name, actions, access, days }) {
    const patterns = actions.split(/[\s,]+/).filter(Boolean);
    const json = { name, actions: patterns, access, expires_in_days: Number(days) };
    const { token } = await this.#session.request('POST', '/tokens', { json });
    const copy = copyButton(token, `the token of ${name}`);
    show(
      this.#result,
      'done',
      `This is the token of ${name}. Copy it now; it won’t be shown again: `,
      element('code', {}, token),
      ' ',
      copy,
    );
  }
}
