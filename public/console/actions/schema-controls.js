import { element } from '../kit/dom.js';
import { exampleOf } from './schema-examples.js';

const LONG_TEXT = 500;
const LONG_NAMES = new Set(['body', 'content', 'text', 'description', 'replace']);
const TIME = /^\^?\(.*\[0-5\]\\d/;

/**
 * The control for one property of a JSON Schema.
 *
 * @returns `node` to show, `labelled`, which a label or a legend names, and `read()` for the value; undefined: it is empty
 */
export function controlFor(name, schema, { required, id }) {
  const made = control(name, schema, id);
  const { node, labelled = node, ...rest } = made;
  labelled.id = id;
  if (labelled.tagName !== 'FIELDSET') labelled.required = required;
  return { node, labelled, ...rest };
}

function control(name, schema, id) {
  const { type, enum: values, format, items, description = '', pattern = '' } = schema;
  if (values !== undefined)
    return chooser(
      values.map((value) => [JSON.stringify(value), String(value)]),
      schema.default,
    );
  if (type === 'boolean') return chooser(yesNo(), schema.default);
  if (type === 'integer' || type === 'number') return numeric(schema);
  if (type === 'string' && format === 'date') return textual('date');
  if (type === 'string' && TIME.test(pattern)) return textual('time');
  if (type === 'string' && takesDateOrTime(description)) return dateAndTime(name, id, description);
  if (type === 'string') return LONG_NAMES.has(name) && isLong(schema) ? longText() : textual(inputType(schema), exampleOf(name, schema));
  if (type === 'array' && items?.enum !== undefined) return boxes(items.enum);
  if (type === 'array' && items?.type === 'string') return lines(exampleOf(name, items));
  return json(name);
}

/** A string that takes a date or a time says so. */
function takesDateOrTime(description) {
  const words = description.toLowerCase();
  return (
    words.includes('t09:00') || (words.includes('a date') && words.includes('or a time')) || /^(?:like|new) (?:start|end)\b/.test(words)
  );
}

function yesNo() {
  return [
    ['true', 'yes'],
    ['false', 'no'],
  ];
}

function chooser(options, preset) {
  const text = options.find(([value]) => value === JSON.stringify(preset))?.[1];
  const nodes = options.map(([value, label]) => element('option', { value }, label));
  const node = element('select', {}, element('option', { value: '' }, text === undefined ? '–' : `– (${text})`), ...nodes);
  return { node, read: () => (node.value === '' ? undefined : JSON.parse(node.value)) };
}

function numeric({ type, minimum, maximum, default: preset }) {
  const step = type === 'integer' ? '1' : 'any';
  const node = element('input', { type: 'number', step, min: minimum ?? '', max: maximum ?? '', placeholder: preset ?? '' });
  return { node, read: () => (node.value === '' ? undefined : node.valueAsNumber) };
}

function inputType({ format }) {
  return format === 'email' ? 'email' : 'text';
}

function isLong({ maxLength }) {
  return maxLength === undefined || maxLength > LONG_TEXT;
}

function textual(type, placeholder = '') {
  const node = element('input', { type, placeholder, autocomplete: 'off' });
  return { node, read: () => (node.value === '' ? undefined : node.value) };
}

function longText() {
  const node = element('textarea', { rows: 4, className: 'long-text' });
  return { node, read: () => (node.value === '' ? undefined : node.value) };
}

/** Without the time, the value is a date. */
function dateAndTime(name, id, description) {
  const date = element('input', { type: 'date' });
  const time = element('input', { type: 'time', id: `${id}-time` });
  const label = element('label', { htmlFor: time.id, className: 'unseen' }, `${name}: time of day, if it has one`);
  const read = () => {
    if (date.value === '') return undefined;
    return time.value === '' ? date.value : `${date.value}T${time.value}`;
  };
  // A description of the text to write is not about these fields.
  const hint = description.includes('T09:00') ? 'Without a time of day, it lasts all day.' : description;
  return { node: element('div', { className: 'date-and-time' }, date, label, time), labelled: date, read, hint };
}

function boxes(values) {
  const inputs = values.map((value) => element('input', { type: 'checkbox', value }));
  const labels = inputs.map((input) => element('label', { className: 'box' }, input, input.value));
  const read = () => {
    const ticked = inputs.filter((input) => input.checked).map((input) => input.value);
    return ticked.length === 0 ? undefined : ticked;
  };
  return { node: element('fieldset', { className: 'boxes' }, ...labels), read };
}

function lines(example) {
  const placeholder = example === '' ? 'one per line' : `${example} (one per line)`;
  const node = element('textarea', { rows: 1, className: 'lines-input', placeholder, spellcheck: false });
  const read = () => {
    const items = node.value
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    return items.length === 0 ? undefined : items;
  };
  return { node, read };
}

function json(name) {
  const node = element('textarea', { rows: 2, placeholder: 'JSON', spellcheck: false });
  const read = () => {
    if (node.value.trim() === '') return undefined;
    try {
      return JSON.parse(node.value);
    } catch {
      throw new SyntaxError(`${name}: is not valid JSON.`);
    }
  };
  return { node, read };
}
