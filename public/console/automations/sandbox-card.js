import { sandboxEvents as texts } from '../../language/en/automations.js';
import { button } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { Failure } from '../page/page-request.js';

/** Lets something happen in the sandbox, for a user who tries automations. */
export function sandboxCard(session) {
  const mail = button(texts.mail);
  mail.addEventListener('click', () => run(mail, session.fail, () => letMailArrive(session)));
  const more = element('a', { href: '/sandbox/events', target: '_blank' }, texts.more);
  return card({ id: 'automation-sandbox', title: texts.title, about: texts.about }, element('p', { className: 'row middle' }, mail, more));
}

async function letMailArrive(session) {
  const { workspace = [] } = session.accounts.value ?? {};
  const account = workspace.find((one) => one.default) ?? workspace[0];
  if (account === undefined) throw new Failure(texts.noAccount, { code: 'not_connected' });
  await session.request('POST', '/sandbox/control/mail', { json: { email: account.email, template: 'invoice' } });
  session.notify('done', texts.sent(account.email));
}
