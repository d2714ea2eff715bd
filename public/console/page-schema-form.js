import { element } from './page-dom.js';

const LONG_TEXT = 500;
const LONG_NAMES = new Set(['body', 'content', 'text', 'description']);

/**
 * Fields for the properties of a JSON Schema object; a property without a simple field is entered as JSON.
 *
 * @returns the fields, and `read()` for their current values; empty fields are omitted
 * @throws from `read()`: SyntaxError that names the field with invalid JSON
 */
export function schemaForm(schema, prefix) {
  if (schema.properties === undefined) return wholeInput(prefix);
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties).map(([name, property]) =>
    field(name, property, required.has(name), `${prefix}-${name}`),
  );
  return {
    nodes: fields.map(({ node }) => node),
    read: () => Object.fromEntries(fields.map(({ name, read }) => [name, read()]).filter(([, value]) => value !== undefined)),
  };
}

/** For a schema without properties: the whole input as JSON. */
function wholeInput(prefix) {
  const { node, read } = field('input', {}, false, `${prefix}-input`);
  return { nodes: [node], read: () => read() ?? {} };
}

function field(name, schema, required, id) {
  const { control, read } = controlFor(name, schema);
  control.id = id;
  control.required = required;
  const about =
    schema.description === undefined ? undefined : element('small', { className: 'muted', id: `${id}-about` }, schema.description);
  if (about !== undefined) control.setAttribute('aria-describedby', about.id);
  const label = element('label', { htmlFor: id }, name, required ? '' : element('span', { className: 'muted' }, ' (optional)'));
  return { name, read, node: element('div', { className: 'field' }, label, control, about) };
}

function controlFor(name, schema) {
  const { type, enum: values } = schema;
  if (values !== undefined) return chooser(values.map((value) => [JSON.stringify(value), String(value)]));
  if (type === 'boolean')
    return chooser([
      ['true', 'yes'],
      ['false', 'no'],
    ]);
  if (type === 'integer' || type === 'number') return numeric(schema);
  if (type === 'string') return textual(name, schema);
  if (type === 'array' && schema.items?.type === 'string') return lines();
  return json(name);
}

function chooser(options) {
  const nodes = options.map(([value, text]) => element('option', { value }, text));
  const control = element('select', {}, element('option', { value: '' }, '–'), ...nodes);
  return { control, read: () => (control.value === '' ? undefined : JSON.parse(control.value)) };
}

function numeric({ type, minimum, maximum }) {
  const control = element('input', { type: 'number', step: type === 'integer' ? '1' : 'any', min: minimum ?? '', max: maximum ?? '' });
  return { control, read: () => (control.value === '' ? undefined : control.valueAsNumber) };
}

function textual(name, { maxLength }) {
  const long = LONG_NAMES.has(name) && (maxLength === undefined || maxLength > LONG_TEXT);
  const control = long ? element('textarea', { rows: 4 }) : element('input', { type: 'text', autocomplete: 'off' });
  return { control, read: () => (control.value === '' ? undefined : control.value) };
}

function lines() {
  const control = element('textarea', { rows: 2, placeholder: 'one per line', spellcheck: false });
  const read = () => {
    const items = control.value
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    return items.length === 0 ? undefined : items;
  };
  return { control, read };
}

function json(name) {
  const control = element('textarea', { rows: 2, placeholder: 'JSON', spellcheck: false });
  const read = () => {
    if (control.value.trim() === '') return undefined;
    try {
      return JSON.parse(control.value);
    } catch {
      throw new SyntaxError(`${name}: is not valid JSON.`);
    }
  };
  return { control, read };
}
