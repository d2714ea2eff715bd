import { element } from '../console/kit/dom.js';
import { reference as words } from '../language/en/api-reference.js';

/** A form that sends one request to the service of this page, and shows the response. */
export function tryForm({ id, method, path, parameters, body }, token) {
  const fields = parameters.filter(({ in: place }) => place !== 'cookie').map((parameter) => field(id, parameter));
  const json = body && bodyField(id, body);
  const output = element('pre', { className: 'response', role: 'status', 'aria-label': words.response });
  const form = element(
    'form',
    { 'aria-label': `${method} ${path}` },
    ...[...fields, ...(json === undefined ? [] : [json])].flatMap(({ nodes }) => nodes),
    element('button', { type: 'submit', className: 'button' }, words.send),
    output,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const request = requestOf({ method, path, fields, json }, token());
    output.textContent = await send(request).catch(() => words.failed);
  });
  return form;
}

function field(id, { name, in: place, required }) {
  const input = element('input', { id: `${id}-${place}-${name}`, autocomplete: 'off', spellcheck: false, required: required === true });
  return { name, place, input, nodes: [element('label', { htmlFor: input.id }, name), input] };
}

/** Filled with the required fields, empty. */
function bodyField(id, { required = [] }) {
  const value = JSON.stringify(Object.fromEntries(required.map((name) => [name, ''])), null, 2);
  const input = element('textarea', { id: `${id}-body`, spellcheck: false, value });
  return { input, nodes: [element('label', { htmlFor: input.id }, words.json), input] };
}

function requestOf({ method, path, fields, json }, token) {
  const url = new URL(location.origin);
  const headers = { accept: 'application/json' };
  if (token !== '') headers.authorization = token;
  let filled = path;
  for (const { name, place, input } of fields) {
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(input.value));
    else if (input.value !== '' && place === 'query') url.searchParams.set(name, input.value);
    else if (input.value !== '') headers[name] = input.value;
  }
  url.pathname = filled;
  if (json === undefined) return [url, { method, headers, redirect: 'manual' }];
  return [url, { method, headers: { ...headers, 'content-type': 'application/json' }, body: json.input.value, redirect: 'manual' }];
}

async function send([url, options]) {
  const response = await fetch(url, options);
  if (response.type === 'opaqueredirect') return words.redirected;
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return `${response.status}\n${isJson ? JSON.stringify(JSON.parse(text), null, 2) : text}`;
}
