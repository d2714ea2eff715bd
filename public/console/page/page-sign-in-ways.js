import { frame } from '../../language/en/frame.js';
import { button } from '../kit/button.js';
import { element } from '../kit/dom.js';
import { onSubmit, run } from '../kit/feedback.js';
import { field } from '../kit/field.js';
import { call } from './page-request.js';

const SANDBOX_ADDRESS = /^([a-z0-9._-]{1,64})@example\.com$/;
const RETURN = 'steward.return';

/** How one signs in at the page. @param failed shows an error */
export function signInWays(signIn, failed) {
  const { url, sandbox, token } = signIn.ways;
  const ways = [...(sandbox ? [sandboxUsers(signIn, failed)] : []), ...(token ? [tokenForm(signIn, failed, 'token')] : [])];
  if (!sandbox && url !== null) ways.unshift(signInLink(url));
  if (ways.length === 0) return [element('p', { className: 'warning' }, frame.noSignIn)];
  return ways.flatMap((way, index) => (index === 0 ? [way] : [element('hr'), way]));
}

/** How a user signs in again, over the page. */
export function waysAgain(signIn, failed) {
  const { url, sandbox } = signIn.ways;
  const { email, label } = signIn.session.user;
  const [, name] = SANDBOX_ADDRESS.exec(email ?? '') ?? [];
  if (sandbox && name !== undefined) {
    const again = button(frame.signInAgainAs(name), { className: 'primary', autofocus: true });
    again.addEventListener('click', () => run(again, failed, () => signInAs(signIn, name)));
    return again;
  }
  return url === null ? tokenForm(signIn, failed, 'token-again') : popUp(url, label);
}

/** The part of the address that a sign-in elsewhere would lose, once. @returns undefined: nobody comes back from one */
export function takeReturn() {
  const hash = sessionStorage.getItem(RETURN);
  sessionStorage.removeItem(RETURN);
  return hash ?? undefined;
}

async function signInAs(signIn, user) {
  const { id_token: token } = await call('POST', '/sandbox/identity/token', { form: { user } });
  await signIn.signIn(token);
}

function sandboxUsers(signIn, failed) {
  const users = ['demo', 'ana'].map((name, index) => {
    const node = button(frame.signInAs(name), { className: index === 0 ? 'primary' : '' });
    node.addEventListener('click', () => run(node, failed, () => signInAs(signIn, name)));
    return node;
  });
  const name = element('input', {
    id: 'user-name',
    name: 'user',
    required: true,
    pattern: '[a-z0-9._\\-]{1,64}',
    maxLength: 64,
    autocapitalize: 'none',
    autocomplete: 'off',
    spellcheck: false,
  });
  const form = element('form', { className: 'row' }, field(frame.anotherName, name), button(frame.signIn, { type: 'submit' }));
  const hint = element('p', { className: 'muted', id: 'user-hint' }, element('small', {}, frame.nameHint));
  name.setAttribute('aria-describedby', hint.id);
  onSubmit(form, failed, ({ user }) => signInAs(signIn, user));
  return element(
    'div',
    {},
    element('p', { className: 'muted' }, frame.sandboxUsers),
    element('div', { className: 'row' }, ...users),
    form,
    hint,
  );
}

function tokenForm(signIn, failed, id) {
  const token = element('textarea', {
    id,
    name: 'token',
    required: true,
    maxLength: 8192,
    autocapitalize: 'none',
    autocomplete: 'off',
    spellcheck: false,
    placeholder: 'eyJhbGciOi…',
  });
  const form = element('form', {}, field(frame.pasteToken, token), button(frame.useToken, { type: 'submit' }));
  onSubmit(form, failed, (fields) => signIn.signIn(fields.token.trim()));
  return form;
}

/** Leaves the page. */
function signInLink(url) {
  const link = element(
    'a',
    { className: 'button primary', href: `${url}?${new URLSearchParams({ return_to: location.pathname })}` },
    frame.signIn,
  );
  link.addEventListener('click', () => sessionStorage.setItem(RETURN, location.hash));
  return element('p', {}, link);
}

/** In a window of its own, which is closed once the user has signed in; where the browser allows none, in a tab. */
function popUp(url, label) {
  const href = `${url}?${new URLSearchParams({ return_to: '/signed-in', prompt: 'login' })}`;
  const link = element('a', { className: 'button primary', href, target: '_blank', autofocus: true }, frame.signInAgainAs(label));
  link.addEventListener('click', (event) => {
    const opened = window.open(href, 'steward-sign-in', 'popup,width=480,height=760');
    if (opened === null) return;
    event.preventDefault();
    link.closest('dialog').addEventListener('close', () => opened.close(), { once: true });
  });
  return element('p', {}, link);
}
