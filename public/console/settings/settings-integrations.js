import { integrations as texts, waitlist } from '../../language/en/settings.js';
import { button } from '../kit/button.js';
import { card, tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { onSubmit, run } from '../kit/feedback.js';
import { field } from '../kit/field.js';
import { showRegion } from '../kit/states.js';
import { call, failureOf } from '../page/page-request.js';
import { Store } from '../page/page-store.js';

/** Which providers are connected; in development also the reload of integrations.yaml, with what is wrong in it. */
export function integrationsCard(session) {
  const status = element('div', {});
  const connected = new Store(() => session.request('GET', '/integrations'));
  showRegion(status, connected, (providers) => [element('dl', { className: 'facts-list' }, ...Object.entries(providers).map(fact))]);
  session.accounts.watch(() => connected.refresh().catch(session.fail));
  if (!session.isDevelopment) return card({ id: 'integrations', title: texts.title }, status);
  return card({ id: 'integrations', title: texts.title, about: texts.about }, status, ...reloading(session));
}

function reloading(session) {
  const problems = element('div', { className: 'result', role: 'alert' });
  const reload = button(texts.reload);
  reload.addEventListener('click', () =>
    run(
      reload,
      (error) => showProblems(problems, failureOf(error)),
      () => read(session, problems),
    ),
  );
  return [reload, problems];
}

async function read(session, problems) {
  problems.replaceChildren();
  await call('GET', '/update_integrations');
  session.notify('done', texts.reloaded);
  await session.load('agents');
}

/** In development, the response names each problem with its place in the file. */
function showProblems(region, { message, requestId, details }) {
  const { problems = [], more = 0 } = details ?? {};
  const request = requestId === undefined ? undefined : element('small', {}, texts.request, element('code', {}, requestId));
  const rows = problems.map(({ line, column, path, message: text }) =>
    element(
      'li',
      {},
      element('code', {}, `${line}:${column}`),
      ' ',
      path === '' ? '' : element('strong', {}, path),
      path === '' ? '' : ': ',
      text,
    ),
  );
  const list = rows.length === 0 ? [] : [element('ol', { className: 'problems', 'aria-label': texts.problems }, ...rows)];
  const rest = more === 0 ? [] : [element('p', { className: 'muted' }, texts.more(more))];
  region.replaceChildren(element('p', { className: 'error' }, message, request), ...list, ...rest);
}

function fact([provider, state]) {
  return element('div', {}, element('dt', {}, texts.providers[provider] ?? provider), element('dd', {}, stateTag(state)));
}

function stateTag({ connected, needs_attention: attention }) {
  if (!connected) return tag('', texts.notConnected);
  if (attention === 0) return tag('good', texts.connected);
  return tag('attention', texts.attention(attention));
}

/** Adds an address to the waitlist. */
export function waitlistCard(session) {
  const email = element('input', {
    id: 'waitlist-email',
    name: 'email',
    type: 'email',
    required: true,
    maxLength: 254,
    autocomplete: 'off',
  });
  email.placeholder = 'name@example.com';
  const form = element('form', { className: 'row' }, field(waitlist.address, email), button(waitlist.add, { type: 'submit' }));
  onSubmit(form, session.fail, async (fields) => {
    await call('POST', '/waitlist', { form: { email: fields.email } });
    session.notify('done', waitlist.added(fields.email));
  });
  return card({ id: 'waitlist', title: waitlist.title, about: waitlist.about }, form);
}
