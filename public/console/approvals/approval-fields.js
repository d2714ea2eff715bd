import { element } from '../kit/dom.js';
import { Failure } from '../page/page-request.js';
import { visibleJson, visibleText } from '../page/page-text.js';

const DAYS = [
  ['', 'No, ask each time'],
  ['1', 'For 1 day'],
  ['7', 'For 7 days'],
  ['30', 'For 30 days'],
];

/** The same question may be in two views at once, whose fields need ids of their own. */
let count = 0;

/**
 * The field for allowing calls in advance, if that is possible as far as the page knows.
 *
 * @param configured the approval's action, from the list of agents
 */
export function rememberField({ audience, action, account, client, thread }, configured) {
  const isToPeople = audience.length > 0 && audience.every(({ kind }) => kind === 'person');
  if (!isToPeople || configured?.effect !== 'write' || configured.approval === 'always') return { read: () => ({}) };
  count += 1;
  const id = `remember-${count}`;
  const select = element('select', { id, 'aria-describedby': `${id}-hint` });
  select.append(...DAYS.map(([value, text]) => element('option', { value }, text)));
  const assistant = thread === undefined ? 'you' : 'your assistant';
  const whose = client === undefined ? assistant : `“${visibleText(client.name)}”`;
  const same = 'the same yes or no, numbers and choices, and no files or lists where this one has none';
  const hint = `Calls of ${action} with ${account} by ${whose} then run without a question, whatever they say, if only these people see them and they give the same arguments: ${same}.`;
  const field = element(
    'div',
    { className: 'field' },
    element('label', { htmlFor: id }, 'Allow calls like this without asking'),
    select,
    element('p', { className: 'muted', id: `${id}-hint` }, element('small', {}, hint)),
  );
  return { field, read: () => (select.value === '' ? {} : { rememberFor: Number(select.value) }) };
}

/** A closed editor of the arguments. */
export function inputEditor(input) {
  count += 1;
  const id = `input-${count}`;
  const before = visibleJson(input);
  const text = element('textarea', { id, value: before, rows: 10, spellcheck: false, autocomplete: 'off', dir: 'ltr' });
  const label = element('label', { htmlFor: id }, 'Arguments as JSON');
  const field = element('details', { className: 'editor' }, element('summary', {}, 'Change the arguments'), label, text);
  return { field, read: () => parsed(text.value), isChanged: () => field.open && text.value !== before };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Failure(`The arguments are not valid JSON: ${error.message}`, { code: 'invalid_request' });
  }
}
