import { byId, element, showError } from '../console/page-dom.js';
import { call } from '../console/page-request.js';
import { bodyTable, parameterTable, schemaText } from './api-schema.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Follows a reference inside the document; anything else is its own target. */
function resolver(document_) {
  return (value) => {
    if (value?.$ref === undefined) return value;
    return value.$ref
      .slice(2)
      .split('/')
      .reduce((node, key) => node?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document_);
  };
}

function operationsOf(description) {
  return Object.entries(description.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => ({ path, method, ...item[method] })),
  );
}

function render(description) {
  const resolve = resolver(description);
  const operations = operationsOf(description);
  const groups = Map.groupBy(operations, ({ tags }) => tags?.[0] ?? 'Other');
  byId('about').prepend(`Version ${description.info.version}. `);
  byId('reference').replaceChildren(overview(description), ...[...groups].map(([name, group]) => section(name, group, resolve)));
  byId('contents').replaceChildren(...[...groups].flatMap(([name, group]) => contents(name, group)));
  // The browser looked for the fragment before there was anything to find.
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

function overview({ servers = [], components = {} }) {
  const schemes = Object.values(components.securitySchemes ?? {});
  return element(
    'section',
    { className: 'card' },
    element('h2', {}, 'Server and authentication'),
    element(
      'ul',
      {},
      ...servers.map(({ url, description }) => element('li', {}, element('code', {}, url), description ? ` ${description}` : '')),
    ),
    ...schemes.map(({ name, in: place, description }) => element('p', {}, element('code', {}, name), ` (${place}): ${description ?? ''}`)),
  );
}

function contents(name, group) {
  const links = group.map((operation) =>
    element('li', {}, element('a', { href: `#${operation.operationId}` }, badge(operation.method), element('span', {}, operation.path))),
  );
  return [element('h2', {}, name), element('ul', {}, ...links)];
}

function section(name, group, resolve) {
  return element('section', { className: 'group' }, element('h2', {}, name), ...group.map((operation) => article(operation, resolve)));
}

function article(operation, resolve) {
  const { operationId, method, path, summary, description, security = [] } = operation;
  const parts = [parameterTable(operation, resolve), bodyTable(operation, resolve), answers(operation, resolve)];
  return element(
    'article',
    { className: 'card operation', id: operationId, 'aria-labelledby': `${operationId}-title` },
    element('h3', { id: `${operationId}-title` }, badge(method), element('code', {}, path)),
    element('p', { className: 'title' }, summary ?? ''),
    description ? element('p', { className: 'muted' }, ...prose(description)) : undefined,
    element(
      'p',
      { className: 'muted' },
      security.length > 0 ? 'Needs an ID token in the Authorization header.' : 'Needs no ID token in the header.',
    ),
    ...parts.filter((part) => part !== undefined),
  );
}

function answers({ responses }, resolve) {
  const rows = Object.entries(responses).map(([status, given]) => answer(status, resolve(given), resolve));
  return element('div', {}, element('h4', {}, 'Answers'), ...rows);
}

function answer(status, { description, content = {}, headers = {} }, resolve) {
  const types = Object.keys(content);
  const schema = content['application/json']?.schema;
  const kind = Number(status) >= 400 ? 'bad' : 'good';
  const names = Object.keys(headers).map((name) =>
    element('li', {}, element('code', {}, name), ` ${resolve(headers[name]).description ?? ''}`),
  );
  return element(
    'details',
    { open: kind === 'good' },
    element('summary', {}, element('span', { className: `code ${kind}` }, status), element('span', {}, ...prose(description ?? ''))),
    types.length > 0 ? element('p', { className: 'muted' }, types.join(', ')) : undefined,
    schema === undefined ? undefined : element('pre', { tabIndex: 0 }, schemaText(schema, resolve)),
    names.length > 0 ? element('ul', { className: 'muted' }, ...names) : undefined,
  );
}

/** Text with `code` in backticks. */
function prose(text) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}

function badge(method) {
  return element('span', { className: `method ${method}` }, method.toUpperCase());
}

try {
  render(await call('GET', '/openapi.json'));
} catch (error) {
  showError(byId('outcome'), error);
}
