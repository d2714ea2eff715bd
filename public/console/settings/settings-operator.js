import { operator as text } from '../../language/en/operator.js';
import { card, tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { showRegion } from '../kit/states.js';
import { formatter } from '../page/page-format.js';
import { Store } from '../page/page-store.js';

const PRICE = { maximumFractionDigits: 2 };

/** How the service is doing, for its operators. */
export function operatorCard(session) {
  const region = element('div', { className: 'operator' });
  const status = new Store(() => session.request('GET', '/operator/status'));
  showRegion(region, status, ({ integrations, file, models, budget, limits }) => [
    element('h3', {}, text.integrations),
    element('dl', { className: 'facts-list' }, ...integrations.map(integration)),
    ...problems(file),
    element('h3', {}, text.models),
    ...(models.length === 0
      ? [element('p', { className: 'muted' }, text.noModel)]
      : [element('ul', { className: 'entries' }, ...models.map(model))]),
    element('h3', {}, text.budget),
    element(
      'dl',
      { className: 'facts-list' },
      ...Object.entries(text.budgetOf).map(([name, label]) => fact(label, budgetOf(budget[name]))),
    ),
    limitsOf(limits),
  ]);
  status.refresh().catch(session.fail);
  return card({ id: 'operator', title: text.title, about: text.about }, region);
}

function integration({ provider, configured, agents, accounts, needs_attention: attention }) {
  if (!configured) return fact(text.provider(provider), tag('', text.notConfigured));
  const actions = agents.reduce((sum, agent) => sum + agent.actions.length, 0);
  const counts = [counted(text.accounts, accounts), counted(text.actions, actions)].join(', ');
  const needs = attention === 0 ? [] : [' ', tag('attention', counted(text.attention, attention))];
  return fact(text.provider(provider), counts, ...needs);
}

/** What is wrong with the integrations file, if it isn't in force. */
function problems({ problems: found, more }) {
  if (found.length === 0) return [];
  const rows = found.map(({ line, column, path, message }) =>
    element('li', {}, element('code', {}, `${line}:${column}`), ' ', path === '' ? '' : element('strong', {}, `${path}: `), message),
  );
  const rest = more === 0 ? [] : [element('p', { className: 'muted' }, text.more(formatter.number(more)))];
  return [element('p', { className: 'warning' }, text.rejected), element('ol', { className: 'problems' }, ...rows), ...rest];
}

function model({ name, provider, model: id, default: isDefault, stand_in: standIn, context_tokens: context, ...prices }) {
  const marks = [isDefault ? tag('good', text.default) : undefined, standIn ? tag('attention', text.standIn) : undefined];
  const { input_price: input, output_price: output } = prices;
  const cost = input === null || output === null ? [] : [text.prices(formatter.number(input, PRICE), formatter.number(output, PRICE))];
  const facts = [`${provider}, ${id}`, text.context(formatter.number(context)), ...cost];
  return element(
    'li',
    { className: 'entry plain' },
    element('h4', {}, name, ...marks),
    element('p', { className: 'muted' }, facts.join(' · ')),
  );
}

function limitsOf(limits) {
  const row = ([name, value]) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, element('code', {}, name)),
      element('td', { className: 'number' }, formatter.number(value)),
    );
  const head = element('tr', {}, element('th', { scope: 'col' }, text.limit), element('th', { scope: 'col' }, text.value));
  const table = element('table', {}, element('thead', {}, head), element('tbody', {}, ...Object.entries(limits).map(row)));
  return element('details', {}, element('summary', {}, text.limits), element('div', { className: 'scroller', tabIndex: 0 }, table));
}

function fact(name, ...values) {
  return element('div', {}, element('dt', {}, name), element('dd', {}, ...values));
}

function counted(phrase, count) {
  return phrase(count, formatter.number(count));
}

function budgetOf(amount) {
  return amount === null ? text.unlimited : formatter.number(amount, PRICE);
}
