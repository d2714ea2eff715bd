import { element } from '../kit/dom.js';
import { ActionForm } from './action-form.js';
import { ActionPicker } from './action-picker.js';
import { RunList } from './run-list.js';

/** The actions that agents can call: select one, fill in its form, run it, see what came back. */
export const actionsView = {
  name: 'actions',
  title: 'Actions',
  about: 'What assistants can do with your accounts. This page calls them over the WebSocket, as your front end would.',
  mount(root, session) {
    const form = new ActionForm(session);
    const picker = new ActionPicker(session.agents, (name) => form.choose(name));
    const runs = new RunList(session);
    root.append(element('div', { className: 'workbench' }, picker.card, element('div', { className: 'bench' }, form.card, runs.card)));
  },
};
