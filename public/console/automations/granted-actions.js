import { actionName, groupName } from '../../language/en/actions.js';
import { automationForm as texts } from '../../language/en/automations.js';
import { element } from '../kit/dom.js';
import { visibleText } from '../page/page-text.js';
import { tickBox } from './form-parts.js';

/** Steward's own: an automation makes no automations. */
const OWN_PROVIDER = 'steward';

/** The agents whose actions an automation can be granted. */
export function grantableAgents(session) {
  return session.agents.value.filter(({ provider }) => provider !== OWN_PROVIDER);
}

/**
 * What the runs may do: one box for each action, folded by their groups, and what each means.
 *
 * @param patterns of the automation, `mail.search` or `calendar.*`; undefined: what reads is ticked
 * @param more ticked beside that
 * @returns `node`, and `read()` for the actions: the patterns as they were, unless the user has changed something
 */
export function grantedActions(session, patterns, more = []) {
  const groups = grantableAgents(session).filter(({ actions }) => actions.length > 0);
  const isTicked = ({ name, effect }) =>
    patterns === undefined ? effect === 'read' || more.includes(name) : patterns.some((pattern) => covers(pattern, name));
  const node = element(
    'fieldset',
    { id: 'automation-actions', className: 'granted field', 'data-path': 'actions' },
    element('legend', {}, texts.actions),
    element('p', { className: 'muted hint' }, groups.length > 0 ? texts.actionsAbout : texts.noActions),
    ...groups.map((agent) => groupNode(agent, isTicked)),
  );
  const ticked = () => [...node.querySelectorAll('input:checked')].map(({ value }) => value);
  const before = ticked().join();
  return { node, read: () => (patterns !== undefined && ticked().join() === before ? patterns : ticked()) };
}

function covers(pattern, name) {
  return pattern === '*' || pattern === name || (pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1)));
}

function groupNode({ name, actions }, isTicked) {
  const boxes = actions.map((action) =>
    tickBox(visibleText(actionName(action.name)), { value: action.name, checked: isTicked(action), about: texts.effects[action.effect] }),
  );
  const summary = element('summary', {});
  const details = element('details', {}, summary, element('div', { className: 'ticks' }, ...boxes));
  const count = () => {
    const all = details.querySelectorAll('input');
    summary.textContent = texts.actionsOf(visibleText(groupName(name)), [...all].filter(({ checked }) => checked).length, all.length);
  };
  details.addEventListener('change', count);
  count();
  return details;
}
