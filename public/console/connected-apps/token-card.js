import { button, copyButton } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { onSubmit, show } from '../kit/feedback.js';
import { field } from '../kit/field.js';
import { accessSelect } from './connect-client-card.js';

const ABOUT =
  'For scripts and assistants. A token can list and call the actions it names. Making one requires a sign-in within the last five minutes.';
const PATTERNS = '*, all actions of a group (mail.*) or one action (calendar.list), separated by spaces.';

/** The form that makes personal access tokens. They are listed with the connected apps. */
export function tokenCard(session) {
  const result = element('div', { className: 'result', role: 'status' });
  const name = element('input', {
    id: 'token-name',
    name: 'name',
    required: true,
    maxLength: 100,
    autocomplete: 'off',
    placeholder: 'Morning digest',
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
    field('Name', name),
    field('Actions', actions, PATTERNS),
    field('Access', accessSelect('token-access')),
    field('Days', days),
    button('Make a token', { type: 'submit' }),
  );
  onSubmit(form, session.fail, (fields) => make(session, result, fields));
  return card({ id: 'tokens', title: 'Personal access tokens', about: ABOUT }, form, result);
}

async function make(session, result, { name, actions, access, days }) {
  const patterns = actions.split(/[\s,]+/).filter(Boolean);
  const json = { name, actions: patterns, access, expires_in_days: Number(days) };
  result.replaceChildren();
  const { token } = await session.request('POST', '/tokens', { json });
  const copy = copyButton(token, `the token of ${name}`);
  const text = `This is the token of ${name}. Copy it now; it won’t be shown again: `;
  show(result, 'done', text, element('code', {}, token), ' ', copy);
}
