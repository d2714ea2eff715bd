import { byId, element } from '../console/kit/dom.js';
import { reference as words } from '../language/en/api-reference.js';
import { operationDetails } from './operation.js';

/** Every operation of /openapi.json, by its tag, each folded; the address's hash opens one. */
async function show() {
  const description = await (await fetch('/openapi.json')).json();
  const { tags, paths, info } = description;
  const token = element('input', { id: 'token', autocomplete: 'off', spellcheck: false, 'aria-describedby': 'token-hint' });
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const sections = tags.map(({ name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name));
    return element('section', {}, element('h2', {}, name), ...own.map((one) => operationDetails(one, description, () => token.value)));
  });
  byId('reference').replaceChildren(
    element('p', {}, words.version(info.version), element('a', { href: '/openapi.json' }, 'openapi.json')),
    element('label', { htmlFor: 'token' }, words.token),
    token,
    element('p', { id: 'token-hint', className: 'muted' }, words.tokenHint),
    ...sections,
  );
  openFromAddress();
}

function openFromAddress() {
  const operation = byId(location.hash.slice(1));
  if (operation === null || operation.tagName !== 'DETAILS') return;
  operation.open = true;
  operation.scrollIntoView();
}

addEventListener('hashchange', openFromAddress);
show().catch(() => byId('reference').replaceChildren(element('p', { className: 'error', role: 'alert' }, words.unloaded)));
