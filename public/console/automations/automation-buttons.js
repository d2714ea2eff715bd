import { automations as texts } from '../../language/en/automations.js';
import { button } from '../kit/button.js';
import { run } from '../kit/feedback.js';
import { addressTo } from '../page/page-address.js';
import { quotedName } from '../page/page-text.js';

/** What can be done with an automation: run, pause or resume, edit, delete. */
export function automationButtons(session, automations, { id, name, state }) {
  const shown = quotedName(name);
  const does = (text, action, className = '') => {
    const node = button(text, { name: shown, className: `small ${className}` });
    node.addEventListener('click', () => run(node, session.fail, action));
    return node;
  };
  const turn = (to, said) => async () => {
    await automations.save(id, { state: to });
    session.notify('done', said(shown));
  };
  return [
    does(texts.runNow, async () => {
      await automations.run(id);
      session.notify('done', texts.started(shown));
    }),
    state === 'active' ? does(texts.pause, turn('paused', texts.paused)) : does(texts.resume, turn('active', texts.resumed), 'primary'),
    does(texts.edit, async () => session.go(`${addressTo('automations', id)}/edit`)),
    does(texts.delete, () => remove(session, automations, { id, shown })),
  ];
}

async function remove(session, automations, { id, shown }) {
  if (!(await session.confirm({ title: texts.deleteQuestion(shown), text: texts.deleteMeans, yes: texts.delete }))) return;
  await automations.delete(id);
  session.notify('done', texts.deleted(shown));
  session.go('automations', { replace: true });
}
