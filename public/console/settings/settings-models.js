import { models as texts } from '../../language/en/settings.js';
import { card, tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { showList } from '../kit/states.js';
import { formatter } from '../page/page-format.js';

const DIGITS = { maximumFractionDigits: 2 };

/** The assistant's models, and what the user has used up today. */
export function modelsCard(session) {
  const list = element('ul', { className: 'entries', 'aria-labelledby': 'models-title' });
  const budget = element('div', { className: 'budget' });
  const section = card({ id: 'models', title: texts.title, about: texts.about }, list, budget);
  showList(list, section.querySelector('h2'), session.models, {
    items: ({ models }) => models.map(model),
    empty: texts.none,
  });
  session.models.watch(({ budget: used }) => budget.replaceChildren(...(used === null ? [] : meters(used))));
  return section;
}

function model({ name, default: isDefault, stand_in: standIn }) {
  const marks = [isDefault ? tag('good', texts.default) : undefined, standIn ? tag('attention', texts.standIn) : undefined];
  return element('li', { className: 'entry plain' }, element('h3', {}, name, ...marks));
}

function meters({ day, ...used }) {
  const rows = Object.entries(texts.budget).flatMap(([name, text]) =>
    used[name] === undefined ? [] : [meter(`budget-${name}`, text, used[name])],
  );
  return [element('h3', {}, texts.used(formatter.shortDay(day))), ...rows];
}

function meter(id, text, { used, limit }) {
  const amounts = [used, limit].filter((one) => one !== null).map((one) => formatter.number(one, DIGITS));
  const bar = limit === null ? undefined : element('meter', { id, max: limit, value: Math.min(used, limit), high: limit * 0.8 });
  return element(
    'div',
    { className: 'meter' },
    element('label', { htmlFor: id }, text),
    element('span', { className: 'muted' }, texts.of(amounts)),
    bar,
  );
}
