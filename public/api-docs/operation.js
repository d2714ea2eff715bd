import { element } from '../console/kit/dom.js';
import { reference as words } from '../language/en/api-reference.js';
import { fieldsOf, resolved, typeOf } from './schemas.js';
import { tryForm } from './try-form.js';

/** One operation, folded; what it takes and returns is made when it is opened. @param token returns the ID token to send */
export function operationDetails({ method, path, operation }, description, token) {
  const { operationId, summary } = operation;
  const title = element('h3', {}, element('span', { className: 'method' }, method), ' ', element('code', {}, path));
  const details = element(
    'details',
    { id: operationId, className: 'operation' },
    element('summary', {}, title, element('span', {}, summary)),
  );
  const fill = () => details.append(...contentsOf({ method, path, operation }, description, token));
  details.addEventListener('toggle', fill, { once: true });
  return details;
}

function contentsOf({ method, path, operation }, { components }, token) {
  const { schemas } = components;
  const { parameters = [], requestBody, responses, operationId } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const rows = parameters.map(({ name, in: place, required, schema, description }) => ({
    name,
    about: `${place}, ${typeOf(schema, schemas)}`,
    required,
    description: description ?? schema.description,
  }));
  return [
    operation.description === undefined ? undefined : paragraph(operation.description),
    ...list(words.parameters, rows),
    ...list(words.body, body === undefined ? [] : fieldsOf(body, schemas)),
    element('h4', {}, words.responses),
    ...Object.entries(responses).flatMap(([status, response]) => responseOf(status, response, schemas)),
    element('h4', {}, words.try),
    tryForm({ id: operationId, method, path, parameters, body: body && resolved(body, schemas) }, token),
  ].filter((node) => node !== undefined);
}

function list(heading, rows) {
  return rows.length === 0 ? [] : [element('h4', {}, heading), fieldList(rows)];
}

function fieldList(rows) {
  const items = rows.map(({ name, about, required, description }) => {
    const type = required === true ? `${about}, ${words.required}` : about;
    return element('li', {}, element('code', {}, name), ' ', element('span', { className: 'muted' }, type), ...after(description));
  });
  return element('ul', { className: 'fields' }, ...items);
}

function after(description) {
  return description === undefined ? [] : [': ', ...withCode(description)];
}

function responseOf(status, { description, content }, schemas) {
  const schema = content?.['application/json']?.schema;
  const fields = schema === undefined || Number(status) >= 400 ? [] : fieldsOf(schema, schemas);
  const line = element('p', {}, element('strong', {}, status), ' ', ...withCode(description));
  return fields.length === 0 ? [line] : [line, fieldList(fields)];
}

function paragraph(text) {
  return element('p', {}, ...withCode(text));
}

/** Text in which code stands in backticks. */
function withCode(text) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? element('code', {}, part) : part));
}
