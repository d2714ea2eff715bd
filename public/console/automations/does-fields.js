import { actionName, groupName } from '../../language/en/actions.js';
import { automationForm as texts } from '../../language/en/automations.js';
import { schemaForm } from '../actions/schema-form.js';
import { element } from '../kit/dom.js';
import { compact, controlOf, entered, selectField, textField } from '../kit/form-parts.js';
import { labelOf } from '../page/page-accounts.js';
import { grantableAgents } from './granted-actions.js';

const LONGEST_PROMPT = 4_000;
const DEFAULT_ACTION = 'mail.send';

/** The fields of what an automation does. @param kind `prompt`, `action` or `notify` @returns `nodes`, `read()` and `showProblem(message)` */
export function doesFields(session, kind, does) {
  if (kind === 'notify') return { nodes: [], read: () => ({ type: 'notify' }) };
  return kind === 'action' ? actionFields(session, does) : promptFields(does);
}

function promptFields({ prompt = '' }) {
  const node = textField('does.prompt', texts.prompt, {
    value: prompt,
    required: true,
    maxLength: LONGEST_PROMPT,
    rows: 4,
    hint: texts.promptHint,
  });
  return { nodes: [node], read: () => ({ type: 'prompt', prompt: entered(node) ?? '' }) };
}

function actionFields(session, { action = DEFAULT_ACTION, account = '', input = {} }) {
  const agents = grantableAgents(session).filter(({ actions }) => actions.length > 0);
  const all = agents.flatMap((agent) => agent.actions.map((one) => ({ ...one, agent })));
  const first = all.some(({ name }) => name === action) ? action : all[0]?.name;
  const actionField = selectField('does.action', texts.action, [], { required: true });
  controlOf(actionField).append(
    ...agents.map(({ name, actions }) => {
      const group = element('optgroup', { label: groupName(name) });
      group.append(...actions.map((one) => element('option', { value: one.name, selected: one.name === first }, actionName(one.name))));
      return group;
    }),
  );
  const varying = element('div', {});
  let shown;
  const show = (value) => {
    const found = all.find(({ name }) => name === controlOf(actionField).value);
    shown = found && inputFields(session, found, value);
    varying.replaceChildren(...(shown?.nodes ?? []));
  };
  controlOf(actionField).addEventListener('change', () => show({}));
  show({ account, input });
  return {
    nodes: [actionField, varying],
    read: () => ({ type: 'action', action: controlOf(actionField).value, ...shown?.read() }),
    showProblem: (message) => shown?.showProblem(message) ?? false,
  };
}

function inputFields(session, { name, input: schema, agent }, { account = '', input = {} }) {
  const accounts = (agent.accounts ?? []).map(({ id, label }) => [id, session.nameOf(id) ?? label ?? labelOf({})]);
  const accountField = selectField('does.account', texts.account, [['', texts.preferred], ...accounts], { value: account });
  const form = schemaForm({ input: schema }, `automation-input-${name.replace('.', '-')}`, { value: input });
  return {
    nodes: [accountField, element('div', { className: 'fields' }, ...form.nodes)],
    read: () => compact({ account: entered(accountField), input: form.read() }),
    showProblem: (message) => form.showProblem(message),
  };
}
