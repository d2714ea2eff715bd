import { connectApp, tokens as texts } from '../../language/en/apps.js';
import { button, copyButton } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { onSubmit, show } from '../kit/feedback.js';
import { field } from '../kit/field.js';
import { accessSelect } from './connect-client-card.js';

/** The form that makes personal access tokens. They are listed with the connected apps. */
export function tokenCard(session) {
  const result = element('div', { className: 'result', role: 'status' });
  const name = element('input', {
    id: 'token-name',
    name: 'name',
    required: true,
    maxLength: 100,
    autocomplete: 'off',
    placeholder: texts.example,
  });
  const actions = element('input', {
    id: 'token-actions',
    name: 'actions',
    required: true,
    maxLength: 500,
    autocomplete: 'off',
    spellcheck: false,
  });
  actions.defaultValue = 'mail.* calendar.*';
  const days = element('input', { id: 'token-days', name: 'days', type: 'number', required: true, min: '1', max: '366' });
  days.defaultValue = '90';
  const form = element(
    'form',
    { className: 'token-form' },
    field(texts.name, name),
    field(texts.actions, actions, texts.patterns),
    field(connectApp.access, accessSelect('token-access')),
    field(texts.days, days),
    button(texts.make, { type: 'submit' }),
  );
  onSubmit(form, session.fail, (fields) => make(session, result, fields));
  return card({ id: 'tokens', title: texts.title, about: texts.about }, form, result);
}

async function make(session, result, { name, actions, access, days }) {
  const patterns = actions.split(/[\s,]+/).filter(Boolean);
  const json = { name, actions: patterns, access, expires_in_days: Number(days) };
  result.replaceChildren();
  const { token } = await session.request('POST', '/tokens', { json });
  const copy = copyButton(token, texts.copy(name));
  show(result, 'done', texts.made(name), element('code', {}, token), ' ', copy);
}
