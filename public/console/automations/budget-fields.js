import { automationForm as texts } from '../../language/en/automations.js';
import { element } from '../kit/dom.js';
import { compact, entered, inputField } from '../kit/form-parts.js';

/** The limits of the runs, folded. @param budget undefined: the usual ones @returns `node`, and `read()` for the budget */
export function budgetFields(budget = {}) {
  const fields = Object.entries(texts.budget).map(([name, label]) => {
    const value = budget[name] ?? '';
    const step = name === 'cost' ? { min: '0', step: 'any', hint: texts.noCost } : { min: '1', step: '1', required: value !== '' };
    return [name, inputField(`budget.${name}`, label, { type: 'number', ...step, value: String(value) })];
  });
  const node = element(
    'details',
    { className: 'more' },
    element('summary', {}, texts.more, element('span', { className: 'muted' }, texts.moreAbout)),
    element('div', { className: 'fields' }, ...fields.map(([, one]) => one)),
  );
  const read = () => compact(Object.fromEntries(fields.map(([name, one]) => [name, entered(one)])));
  return { node, read: () => ({ ...read(), cost: read().cost ?? null }) };
}
