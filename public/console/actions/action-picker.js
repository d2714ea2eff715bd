import { actionName, groupName } from '../../language/en/actions.js';
import { picker as texts } from '../../language/en/runs.js';
import { plainWords } from '../../language/names.js';
import { card, tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { showRegion } from '../kit/states.js';

/** A list of the agents' actions, one of which is selected. */
export class ActionPicker {
  #groups = element('div', { className: 'picker-groups' });
  #search = element('input', { id: 'action-search', type: 'search', placeholder: texts.find, autocomplete: 'off' });
  #agents = [];
  #chosen;

  /**
   * @param agents store of the agents
   * @param choose receives the name of the action that the user selects, and `{replace}`: it is one of many on the way
   */
  constructor(agents, choose) {
    this.#search.addEventListener('input', () => agents.value !== undefined && this.#groups.replaceChildren(...this.#found()));
    // The arrow keys select each action that they pass.
    this.#groups.addEventListener('change', ({ target }) => choose(target.value, { replace: target.matches(':focus-visible') }));
    const label = element('label', { htmlFor: 'action-search', className: 'unseen' }, texts.find);
    this.card = card({ id: 'actions', title: texts.title, className: 'picker' }, label, this.#search, this.#groups);
    showRegion(this.#groups, agents, (all) => this.#shown(all));
  }

  #shown(agents) {
    this.#agents = agents.filter(({ actions }) => actions.length > 0);
    return this.#found();
  }

  /** @param name default: the first one @returns its name; undefined: there is none, or none of this name */
  select(name) {
    const names = this.#agents.flatMap(({ actions }) => actions.map((action) => action.name));
    this.#chosen = name === undefined ? names[0] : names.find((one) => one === name);
    for (const radio of this.#groups.querySelectorAll('input')) radio.checked = radio.value === this.#chosen;
    return this.#chosen;
  }

  #found() {
    const words = this.#search.value.toLowerCase().split(/\s+/);
    const matches = ({ name, description }) =>
      words.every((word) => `${name} ${actionName(name)} ${description}`.toLowerCase().includes(word));
    const groups = this.#agents
      .map((agent) => ({ ...agent, actions: agent.actions.filter(matches) }))
      .filter(({ actions }) => actions.length > 0);
    const none = element('p', { className: 'empty' }, this.#agents.length > 0 ? texts.noMatch : texts.none);
    return groups.length > 0 ? groups.map((agent) => this.#group(agent)) : [none];
  }

  #group({ name, actions, status }) {
    const off = status === 'ready' ? undefined : tag('', plainWords(status).toLowerCase());
    return element(
      'fieldset',
      { className: 'picker-group' },
      element('legend', { title: name }, groupName(name), ' ', off),
      ...actions.map((action) => this.#option(action)),
    );
  }

  /** Radio buttons of one name are one stop of the Tab key, and the arrow keys move between them. */
  #option({ name, effect }) {
    const radio = element('input', { type: 'radio', name: 'action', value: name, checked: name === this.#chosen, id: `pick-${name}` });
    const mark = effect === 'read' ? undefined : element('span', { className: `effect ${effect}` }, texts.effects[effect]);
    return element('label', { className: 'pick', htmlFor: radio.id, title: name }, radio, element('span', {}, actionName(name)), mark);
  }
}
