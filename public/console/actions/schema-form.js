import { element } from '../kit/dom.js';
import { controlFor } from './schema-controls.js';

/** Optional fields that most calls fill in. */
const COMMON = new Set(['query', 'subject', 'from', 'to', 'end', 'text', 'content', 'max', 'title']);
const FEWEST = 2;

/**
 * Fields for the input of an action: the required and the usual ones, and the others folded under “More”.
 *
 * @param action with `input`, the JSON Schema of an object; a property without a simple field is entered as JSON
 * @returns the nodes, and `read()` for their current values; empty fields are omitted
 * @throws from `read()`: SyntaxError that names the field with invalid JSON
 */
export function schemaForm({ input: schema }, prefix) {
  if (schema.properties === undefined) return wholeInput(prefix);
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties).map(([name, property]) =>
    field(name, property, required.has(name), `${prefix}-${name}`),
  );
  const shown = fields.filter(({ name }) => required.has(name) || COMMON.has(name));
  const first = shown.length > 0 ? shown : fields.slice(0, FEWEST);
  const more = fields.filter((one) => !first.includes(one));
  return {
    nodes: [...first.map(({ node }) => node), ...(more.length > 0 ? [folded(more)] : [])],
    read: () => Object.fromEntries(fields.map(({ name, read }) => [name, read()]).filter(([, value]) => value !== undefined)),
  };
}

function folded(fields) {
  const names = fields.map(({ name }) => name).join(', ');
  return element(
    'details',
    { className: 'more' },
    element('summary', {}, 'More ', element('span', { className: 'muted' }, names)),
    element('div', { className: 'fields' }, ...fields.map(({ node }) => node)),
  );
}

/** For a schema without properties: the whole input as JSON. */
function wholeInput(prefix) {
  const { node, read } = field('input', {}, false, `${prefix}-input`);
  return { nodes: [node], read: () => read() ?? {} };
}

function field(name, schema, required, id) {
  const { node, labelled, read, hint = schema.description } = controlFor(name, schema, { required, id });
  // “Title.” below “title” says nothing.
  const isNews = hint !== undefined && hint.toLowerCase() !== `${name}.`;
  const about = isNews ? element('p', { className: 'muted hint', id: `${id}-about` }, hint) : undefined;
  if (about !== undefined) labelled.setAttribute('aria-describedby', about.id);
  const mark = required ? '' : element('span', { className: 'muted' }, ' (optional)');
  const isGroup = labelled.tagName === 'FIELDSET';
  if (isGroup) labelled.prepend(element('legend', {}, name, mark));
  const label = isGroup ? undefined : element('label', { htmlFor: labelled.id }, name, mark);
  return {
    name,
    read,
    node: element('div', { className: node.classList.contains('long-text') ? 'field whole' : 'field' }, label, node, about),
  };
}
