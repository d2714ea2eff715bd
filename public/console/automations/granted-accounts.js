import { automationForm as texts } from '../../language/en/automations.js';
import { element } from '../kit/dom.js';
import { choice, tickBox } from '../kit/form-parts.js';
import { allAccounts, labelOf } from '../page/page-accounts.js';

/** Which accounts the runs may use. @param ids null: all @returns `node`, and `read()` for the accounts */
export function grantedAccounts(session, ids) {
  const boxes = allAccounts(session.accounts.value).map((account) =>
    tickBox(labelOf(account), { value: account.id, checked: ids?.includes(account.id) ?? false }),
  );
  const list = element('div', { className: 'ticks' }, ...boxes);
  const show = (value) => {
    list.hidden = value === 'all';
  };
  const entries = [
    ['all', [texts.allAccounts]],
    ['some', [texts.someAccounts]],
  ];
  const way = choice('accounts', texts.accounts, entries, { value: ids === null ? 'all' : 'some', changed: show });
  way.node.append(list);
  show(way.read());
  const ticked = () => [...list.querySelectorAll('input:checked')].map(({ value }) => value);
  return { node: way.node, read: () => (way.read() === 'all' ? null : ticked()) };
}
