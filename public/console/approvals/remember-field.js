import { REMEMBER } from '../../language/en/questions.js';
import { element } from '../kit/dom.js';
import { field } from '../kit/field.js';
import { quotedName, visibleText } from '../page/page-text.js';

/** The same question may be in two views at once, whose fields need ids of their own. */
let count = 0;

/**
 * The field for allowing calls in advance, if that is possible as far as the page knows.
 *
 * @param configured the approval's action, from the list of agents
 */
export function rememberField({ audience, account, client, thread }, configured) {
  const isToPeople = audience.length > 0 && audience.every(({ kind }) => kind === 'person');
  if (!isToPeople || configured?.effect !== 'write' || configured.approval === 'always') return { read: () => ({}) };
  count += 1;
  const select = element('select', { id: `remember-${count}` });
  select.append(...REMEMBER.days.map(([value, text]) => element('option', { value }, text)));
  const assistant = thread === undefined ? REMEMBER.you : REMEMBER.assistant;
  const whose = client === undefined ? assistant : REMEMBER.app(quotedName(client.name));
  const shown = element(
    'details',
    { className: 'remember' },
    element('summary', {}, REMEMBER.title),
    field(REMEMBER.label, select, REMEMBER.hint(whose, visibleText(account))),
  );
  return { field: shown, read: () => (select.value === '' ? {} : { rememberFor: Number(select.value) }) };
}
