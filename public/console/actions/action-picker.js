import { card, tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { showRegion } from '../kit/states.js';

/** A list of the agents' actions, one of which is selected. */
export class ActionPicker {
  #choose;
  #groups = element('div', { className: 'picker-groups' });
  #search = element('input', { id: 'action-search', type: 'search', placeholder: 'Find an action', autocomplete: 'off' });
  #agents = [];
  #chosen;

  /** @param agents store of the agents @param choose receives the name of the action that was selected */
  constructor(agents, choose) {
    this.#choose = choose;
    this.#search.addEventListener('input', () => agents.value !== undefined && this.#groups.replaceChildren(...this.#found()));
    this.#groups.addEventListener('change', ({ target }) => this.#select(target.value));
    const label = element('label', { htmlFor: 'action-search', className: 'unseen' }, 'Find an action');
    this.card = card({ id: 'actions', title: 'All actions', className: 'picker' }, label, this.#search, this.#groups);
    showRegion(this.#groups, agents, (all) => this.#shown(all));
  }

  /** Keeps the selection if the action still exists. */
  #shown(agents) {
    this.#agents = agents.filter(({ actions }) => actions.length > 0);
    const names = this.#agents.flatMap(({ actions }) => actions.map(({ name }) => name));
    if (!names.includes(this.#chosen)) this.#select(names[0]);
    return this.#found();
  }

  #select(name) {
    this.#chosen = name;
    this.#choose(name);
  }

  #found() {
    const words = this.#search.value.toLowerCase().split(/\s+/);
    const matches = ({ name, description }) => words.every((word) => `${name} ${description}`.toLowerCase().includes(word));
    const groups = this.#agents
      .map((agent) => ({ ...agent, actions: agent.actions.filter(matches) }))
      .filter(({ actions }) => actions.length > 0);
    const none = element('p', { className: 'empty' }, this.#agents.length > 0 ? 'No action has these words.' : 'There are no actions yet.');
    return groups.length > 0 ? groups.map((agent) => this.#group(agent)) : [none];
  }

  #group({ name, actions, status }) {
    const off = status === 'ready' ? undefined : tag('', status.replaceAll('_', ' '));
    return element(
      'fieldset',
      { className: 'picker-group' },
      element('legend', {}, name, ' ', off),
      ...actions.map((action) => this.#option(action)),
    );
  }

  /** Radio buttons of one name are one stop of the Tab key, and the arrow keys move between them. */
  #option({ name, effect }) {
    const radio = element('input', { type: 'radio', name: 'action', value: name, checked: name === this.#chosen, id: `pick-${name}` });
    const mark = effect === 'read' ? undefined : element('span', { className: `effect ${effect}` }, effect);
    return element('label', { className: 'pick', htmlFor: radio.id }, radio, element('span', {}, name), mark);
  }
}
