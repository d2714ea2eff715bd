import { detailName } from '../../language/en/approvals.js';
import { FORM } from '../../language/en/forms.js';
import { hasMeaning, meaningOf } from '../../language/meaning.js';
import { element } from '../kit/dom.js';
import { showFieldProblem } from '../kit/field.js';
import { visibleText } from '../page/page-text.js';
import { controlFor } from './schema-controls.js';

/** Optional fields that most calls fill in. */
const COMMON = new Set(['query', 'subject', 'from', 'to', 'end', 'text', 'content', 'max', 'title']);
const FEWEST = 2;
/** Which field an error of the service is about: `to.0: must be a mail address`. */
const FIELD_PROBLEM = /^([\w-]+)((?:\.[\w-]+)*): (.+)$/s;

/**
 * Fields for the input of an action: the required and the usual ones, those that have a value, and the others folded
 * under “More”.
 *
 * @param action with `input`, the JSON Schema of an object; a property without a simple field is entered as JSON
 * @param options.value what the fields hold at first
 * @param options.isShown whether a property has a field, by its name and schema
 * @returns the nodes; the `names` of the fields; `read()` for their current values, empty fields omitted;
 *   `showProblem(message)`, which says an error beside its field and returns whether it is about one
 * @throws from `read()`: SyntaxError that names the field with invalid JSON
 */
export function schemaForm({ input: schema }, prefix, { value = {}, isShown = () => true } = {}) {
  if (schema.properties === undefined) return wholeInput(prefix);
  const required = new Set(schema.required ?? []);
  const properties = Object.entries(schema.properties).filter(([name, property]) => isShown(name, property));
  const fields = properties.map(([name, property]) =>
    field({
      name,
      label: detailName(name),
      schema: property,
      required: required.has(name),
      id: `${prefix}-${name}`,
      value: own(value, name),
    }),
  );
  const shown = fields.filter(({ name }) => required.has(name) || COMMON.has(name) || !isEmpty(own(value, name)));
  const first = shown.length > 0 ? shown : fields.slice(0, FEWEST);
  const more = fields.filter((one) => !first.includes(one));
  return {
    names: fields.map(({ name }) => name),
    nodes: [...first.map(({ node }) => node), ...(more.length > 0 ? [folded(more)] : [])],
    read: () => Object.fromEntries(fields.map(({ name, read }) => [name, read()]).filter(([, one]) => one !== undefined)),
    showProblem: (message) => showProblem(fields, message),
  };
}

const own = (value, name) => (Object.hasOwn(value, name) ? value[name] : undefined);

const isEmpty = (value) => value === undefined || value === false || value?.length === 0;

function folded(fields) {
  const names = fields.map(({ label }) => label).join(', ');
  return element(
    'details',
    { className: 'more' },
    element('summary', {}, FORM.more, element('span', { className: 'muted' }, names)),
    element('div', { className: 'fields' }, ...fields.map(({ node }) => node)),
  );
}

/** For a schema without properties: the whole input as JSON. */
function wholeInput(prefix) {
  const { node, read } = field({ name: 'input', label: detailName('input'), schema: {}, required: false, id: `${prefix}-input` });
  return { names: ['input'], nodes: [node], read: () => read() ?? {}, showProblem: () => false };
}

/** The first wrong field gets the focus. */
function showProblem(fields, message) {
  for (const { labelled } of fields) showFieldProblem(labelled, '');
  const [, name, path, problem] = FIELD_PROBLEM.exec(message) ?? [];
  const found = fields.find((one) => one.name === name || one.label === name);
  if (found === undefined) return false;
  const [index = ''] = path.split('.').slice(1);
  const said = /^\d+$/.test(index) ? FORM.entry(Number(index) + 1, problem) : problem.charAt(0).toUpperCase() + problem.slice(1);
  showFieldProblem(found.labelled, /[.!?]$/.test(said) ? said : `${said}.`);
  const more = found.node.closest('details');
  if (more !== null) more.open = true;
  found.labelled.focus();
  found.node.scrollIntoView({ block: 'nearest' });
  return true;
}

function field({ name, label, schema, required, id, value }) {
  const { node, labelled, read, hint = schema.description } = controlFor(name, schema, { required, id, value, label });
  // “Title.” below “Title” says nothing.
  const means = meaningNode(name, labelled, `${id}-means`);
  const isNews = hint !== undefined && hint.toLowerCase() !== `${label.toLowerCase()}.`;
  const about = isNews ? element('p', { className: 'muted hint', id: `${id}-about` }, hint) : undefined;
  const described = [means, about].filter((one) => one !== undefined).map((one) => one.id);
  if (described.length > 0) labelled.setAttribute('aria-describedby', described.join(' '));
  const mark = required ? '' : element('span', { className: 'muted' }, FORM.optional);
  const isGroup = labelled.tagName === 'FIELDSET';
  if (isGroup) labelled.prepend(element('legend', {}, label, mark));
  const text = isGroup ? undefined : element('label', { htmlFor: labelled.id }, label, mark);
  const className = node.classList.contains('long-text') ? 'field whole' : 'field';
  return { name, label, labelled, read, node: element('div', { className }, text, node, means, about, hiddenNote(value)) };
}

/** What is entered, in words, while that is another thing. @returns undefined: such a field is in words */
function meaningNode(name, control, id) {
  if (!hasMeaning(name)) return undefined;
  const node = element('p', { className: 'hint', id, role: 'status' });
  const show = () => {
    const words = meaningOf(name, control.value);
    node.textContent = words === undefined ? '' : FORM.means(words);
  };
  control.addEventListener('input', show);
  show();
  return node;
}

/** Controls don't show hidden characters. */
function hiddenNote(value) {
  const characters = new Set(typeof value === 'string' ? value : JSON.stringify(value ?? ''));
  const shown = [...characters].filter((one) => visibleText(one) !== one).map(visibleText);
  return shown.length === 0 ? undefined : element('p', { className: 'hint' }, FORM.hidden(shown.join(', ')));
}
