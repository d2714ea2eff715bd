import { automations as texts } from '../../language/en/automations.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { showList } from '../kit/states.js';
import { linkTo } from '../page/page-address.js';
import { together } from '../page/page-store.js';
import { readableText } from '../page/page-text.js';
import { automationButtons } from './automation-buttons.js';
import { factsOf, summaryOf, tagsOf } from './automation-facts.js';

/** The automations: what each does, when it runs next, how it went. */
export function automationList(session, automations) {
  const list = element('ul', { className: 'entries automations', 'aria-labelledby': 'automation-list-title' });
  const add = element('a', { className: 'button', href: '#automations/new' }, texts.new);
  const section = card({ id: 'automation-list', title: texts.list }, list, element('p', { className: 'row' }, add));
  const item = (automation) =>
    element(
      'li',
      { className: 'entry', 'data-entry': automation.id },
      element(
        'div',
        {},
        element(
          'h3',
          {},
          element('a', { href: linkTo('automations', automation.id), dir: 'auto' }, readableText(automation.name)),
          ...tagsOf(automation),
        ),
        element('p', {}, summaryOf(session, automation)),
        element('p', { className: 'detail' }, ...factsOf(automation)),
      ),
      element('div', { className: 'actions' }, ...automationButtons(session, automations, automation)),
    );
  // Accounts are named in the triggers.
  showList(list, section.querySelector('h2'), together(automations.store, session.accounts), {
    items: ([all]) => all.map(item),
    empty: texts.none,
  });
  return section;
}
