import { actionName } from '../../language/en/actions.js';
import { actionsView as texts } from '../../language/en/runs.js';
import { element } from '../kit/dom.js';
import { addressTo } from '../page/page-address.js';
import { ActionForm } from './action-form.js';
import { ActionPicker } from './action-picker.js';
import { RunList } from './run-list.js';

/** The actions that agents can call: select one, fill in its form, run it, see what came back. */
export const actionsView = {
  name: 'actions',
  title: texts.title,
  about: texts.about,
  /** `#actions/<action>`, and `#actions/<action>/runs/<run>` for one of this tab. */
  mount(root, session, page) {
    const form = new ActionForm(session);
    const picker = new ActionPicker(session.agents, (name, options) => session.go(addressTo('actions', name), options));
    const runs = new RunList(session);
    let address = { parts: [] };
    const show = () => {
      const [name, , run] = address.parts;
      runs.open(run);
      if (session.agents.value === undefined) return;
      const chosen = picker.select(name);
      page.entitle(name && chosen && actionName(chosen));
      form.choose(chosen, name);
    };
    session.agents.watch(show);
    root.append(element('div', { className: 'workbench' }, picker.card, element('div', { className: 'bench' }, form.card, runs.card)));
    return {
      shown(current) {
        address = current;
        show();
      },
    };
  },
};
