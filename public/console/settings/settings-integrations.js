import { button } from '../kit/button.js';
import { card, tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { onSubmit, run } from '../kit/feedback.js';
import { field } from '../kit/field.js';
import { showRegion } from '../kit/states.js';
import { call, failureOf } from '../page/page-request.js';
import { Store } from '../page/page-store.js';

const NAMES = { workspace: 'Workspace', bank: 'Bank' };

/** Which providers are connected; in development also the reload of integrations.yaml, with what is wrong in it. */
export function integrationsCard(session) {
  const status = element('div', {});
  const connected = new Store(() => session.request('GET', '/integrations'));
  showRegion(status, connected, (providers) => [element('dl', { className: 'facts-list' }, ...Object.entries(providers).map(fact))]);
  session.accounts.watch(() => connected.refresh().catch(session.fail));
  if (!session.isDevelopment) return card({ id: 'integrations', title: 'Integrations' }, status);
  const about = 'integrations.yaml defines what assistants may do. An invalid file changes nothing.';
  return card({ id: 'integrations', title: 'Integrations', about }, status, ...reloading(session));
}

function reloading(session) {
  const problems = element('div', { className: 'result', role: 'alert' });
  const reload = button('Reload integrations.yaml');
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
  session.notify('done', 'integrations.yaml was reloaded.');
  await session.load('agents');
}

/** In development, the response names each problem with its place in the file. */
function showProblems(region, { message, requestId, details }) {
  const { problems = [], more = 0 } = details ?? {};
  const request = requestId === undefined ? undefined : element('small', {}, 'Request ', element('code', {}, requestId));
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
  const list = rows.length === 0 ? [] : [element('ol', { className: 'problems', 'aria-label': 'Problems by line and column' }, ...rows)];
  const rest = more === 0 ? [] : [element('p', { className: 'muted' }, `And ${more} more.`)];
  region.replaceChildren(element('p', { className: 'error' }, message, request), ...list, ...rest);
}

function fact([provider, state]) {
  return element('div', {}, element('dt', {}, NAMES[provider] ?? provider), element('dd', {}, stateTag(state)));
}

function stateTag({ connected, needs_attention: attention }) {
  if (!connected) return tag('', 'Not connected');
  if (attention === 0) return tag('good', 'Connected');
  return tag('attention', `${attention} need${attention === 1 ? 's' : ''} attention`);
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
  const form = element('form', { className: 'row' }, field('Email address', email), button('Add', { type: 'submit' }));
  onSubmit(form, session.fail, async (fields) => {
    await call('POST', '/waitlist', { form: { email: fields.email } });
    session.notify('done', `${fields.email} is on the waitlist.`);
  });
  return card({ id: 'waitlist', title: 'Waitlist', about: 'Add an email address to the waitlist.' }, form);
}
