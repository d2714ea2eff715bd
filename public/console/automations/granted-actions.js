import { actionName, groupName } from '../../language/en/actions.js';
import { automationForm as texts } from '../../language/en/automations.js';
import { element } from '../kit/dom.js';
import { tickBox } from '../kit/form-parts.js';
import { formatter } from '../page/page-format.js';
import { visibleText } from '../page/page-text.js';

/** Steward's own: an automation makes no automations. */
const OWN_PROVIDER = 'steward';
const MOST_LISTED = 50;

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
    { id: 'field-actions', className: 'granted field', 'data-path': 'actions' },
    element('legend', {}, texts.actions),
    element('p', { className: 'muted hint' }, groups.length > 0 ? texts.actionsAbout : texts.noActions),
    ...groups.map((agent) => groupNode(agent, isTicked)),
  );
  const ticked = () => [...node.querySelectorAll('input:checked')].map(({ value }) => value);
  const before = ticked().join();
  return { node, read: () => (patterns !== undefined && ticked().join() === before ? patterns : listed(ticked(), groups)) };
}

/** Of more than fit, the groups that are ticked as a whole are named as such. */
function listed(names, groups) {
  if (names.length <= MOST_LISTED) return names;
  const whole = groups.filter(({ actions }) => actions.every(({ name }) => names.includes(name))).map((agent) => `${agent.name}.*`);
  return [...whole, ...names.filter((name) => !whole.some((pattern) => covers(pattern, name)))];
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
    const all = [...details.querySelectorAll('input')];
    const ticked = all.filter(({ checked }) => checked);
    const more = ticked.map(({ value }) => actions.find((one) => one.name === value)).filter(({ effect }) => effect !== 'read');
    const names = more.map((one) => visibleText(actionName(one.name)));
    summary.replaceChildren(
      texts.actionsOf(visibleText(groupName(name)), ticked.length, all.length),
      ...(names.length > 0 ? [element('strong', {}, texts.moreThanReading(formatter.list(names)))] : []),
    );
  };
  details.addEventListener('change', count);
  count();
  return details;
}
