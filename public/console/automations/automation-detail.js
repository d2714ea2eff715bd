import { automations as texts } from '../../language/en/automations.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { readableText } from '../page/page-text.js';
import { automationButtons } from './automation-buttons.js';
import { factsOf, summaryOf, tagsOf } from './automation-facts.js';
import { AutomationRuns } from './automation-runs.js';

/** One automation and its runs. @returns `{node, update(automation)}` */
export function automationDetail(session, automations, { id, name }) {
  const facts = element('div', { className: 'automation-facts' });
  const runs = new AutomationRuns(session, automations, id);
  const about = card({ id: 'automation', title: readableText(name) }, facts);
  const back = element('p', {}, element('a', { href: '#automations' }, texts.back));
  const heading = about.querySelector('h2');
  heading.dir = 'auto';
  let shown;
  const update = (automation) => {
    const text = JSON.stringify(automation);
    if (text === shown) return;
    const isFirst = shown === undefined;
    shown = text;
    heading.textContent = readableText(automation.name);
    const held = facts.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : undefined;
    facts.replaceChildren(
      element('p', { className: 'row middle' }, ...tagsOf(automation)),
      element('p', {}, summaryOf(session, automation)),
      element('p', { className: 'muted' }, ...factsOf(automation)),
      element('div', { className: 'row' }, ...automationButtons(session, automations, automation)),
    );
    if (held !== undefined)
      ([...facts.querySelectorAll('[aria-label]')].find((one) => one.getAttribute('aria-label') === held) ?? heading).focus();
    if (!isFirst) runs.refresh();
  };
  return { node: element('div', { className: 'view-body' }, about, runs.card, back), update };
}
