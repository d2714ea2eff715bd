import { element } from '../console/page-dom.js';

const DEPTH = 6;

/**
 * A JSON schema in the shape of the value it describes, for people.
 *
 * @param resolve follows `$ref`
 */
export function schemaText(schema, resolve, indent = '', depth = 0) {
  const whole = merged(schema, resolve);
  if (depth > DEPTH) return '…';
  if (whole.properties !== undefined) return objectText(whole, resolve, indent, depth);
  if (whole.type === 'array') return `[${schemaText(whole.items ?? {}, resolve, indent, depth + 1)}, …]`;
  return scalarText(whole);
}

function objectText({ properties, required = [] }, resolve, indent, depth) {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(
    ([name, value]) => `${inner}${name}${required.includes(name) ? '' : '?'}: ${schemaText(value, resolve, inner, depth + 1)}`,
  );
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function scalarText({ type, format, const: constant, enum: values, anyOf, oneOf, pattern }) {
  if (constant !== undefined) return JSON.stringify(constant);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return choices.map(scalarText).join(' | ');
  const name = [type].flat().join(' | ') || 'anything';
  return format === undefined && pattern === undefined ? name : `${name} (${format ?? pattern})`;
}

/** Parts of `allOf` laid over each other; a later part says more about the same property. */
function merged(schema, resolve) {
  const own = resolve(schema) ?? {};
  if (own.allOf === undefined) return own;
  const parts = own.allOf.map((part) => merged(part, resolve));
  const properties = {};
  for (const [name, value] of parts.flatMap((part) => Object.entries(part.properties ?? {}))) {
    properties[name] = { ...properties[name], ...value };
  }
  return { ...Object.assign({}, ...parts), properties, required: parts.flatMap((part) => part.required ?? []) };
}

/** Path and query parameters, or undefined where there are none. */
export function parameterTable({ parameters = [] }, resolve) {
  const rows = parameters
    .map(resolve)
    .map(({ name, in: place, required, description, schema }) => ({ name, place, required, description, schema }));
  return rows.length === 0 ? undefined : table('Parameters', rows, resolve);
}

/** Fields of the request body, or undefined where there is none. */
export function bodyTable({ requestBody }, resolve) {
  const content = Object.entries(resolve(requestBody)?.content ?? {});
  if (content.length === 0) return undefined;
  const { properties = {}, required = [] } = merged(content[0][1].schema, resolve);
  const rows = Object.entries(properties).map(([name, schema]) => ({
    name,
    place: 'body',
    required: required.includes(name),
    description: schema.description,
    schema,
  }));
  const note = element('p', { className: 'muted' }, content.map(([type]) => type).join(', '));
  return table('Request fields', rows, resolve, note);
}

function table(title, rows, resolve, note) {
  const head = element('tr', {}, ...['Name', 'In', 'Type', 'About'].map((text) => element('th', { scope: 'col' }, text)));
  return element(
    'div',
    {},
    element('h4', {}, title),
    ...(note === undefined ? [] : [note]),
    element(
      'div',
      { className: 'scroll', tabIndex: 0, role: 'group', 'aria-label': title },
      element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows.map((row) => tableRow(row, resolve)))),
    ),
  );
}

function tableRow({ name, place, required, description = '', schema }, resolve) {
  const { maxLength } = schema;
  const bounds = maxLength === undefined ? '' : ` At most ${maxLength} characters.`;
  const about = `${required ? 'Required.' : 'Optional.'} ${description}${bounds}`;
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, element('code', {}, name)),
    element('td', {}, place),
    element('td', {}, schemaText(schema, resolve)),
    element('td', {}, about),
  );
}
