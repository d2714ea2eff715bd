import { detailValue } from '../../language/en/approvals.js';
import { FORM } from '../../language/en/forms.js';
import { element } from '../kit/dom.js';
import { exampleOf } from './schema-examples.js';
import { shownEntries } from './schema-lists.js';

const LONG_TEXT = 500;
const LONG_NAMES = new Set(['body', 'content', 'text', 'description', 'replace']);
const TIME = /^\^?\(.*\[0-5\]\\d/;
/** The service adds seconds. */
const DATE_OR_TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::00)?)?$/;

/**
 * The control for one property of a JSON Schema.
 *
 * @param options.value what it holds at first; undefined: nothing
 * @param options.label of the property
 * @returns `node` to show, `labelled`, which a label or a legend names, and `read()` for the value; undefined: it is empty
 */
export function controlFor(name, schema, { required, id, value, label = name }) {
  const { node, labelled = node, read, ...rest } = control(name, schema, { id, value, label });
  labelled.id = id;
  if (labelled.tagName !== 'FIELDSET') labelled.required = required;
  // What nobody has changed stays as it was, also where the control shows it in other words.
  const before = JSON.stringify(read());
  return { node, labelled, ...rest, read: () => (value !== undefined && JSON.stringify(read()) === before ? value : read()) };
}

function control(name, schema, { id, value, label }) {
  const { type, enum: values, format, items, description = '', pattern = '' } = schema;
  if (values !== undefined) return chooser(choicesOf(values), schema.default, value);
  if (type === 'boolean') return chooser(yesNo(), schema.default, value);
  if (type === 'integer' || type === 'number') return numeric(schema, value);
  if (type === 'string') return ofText(name, schema, { id, value, label, format, description, pattern });
  if (type === 'array' && items?.enum !== undefined) return boxes(items.enum, value);
  if (type === 'array' && items?.type === 'string') return lines(name, items, value);
  return json(label, value);
}

function ofText(name, schema, { id, value, label, format, description, pattern }) {
  if (format === 'date') return textual('date', value);
  if (TIME.test(pattern)) return textual('time', value);
  if (takesDateOrTime(description) && (value === undefined || DATE_OR_TIME.test(value)))
    return dateAndTime(label, { id, description, value });
  const isMultiline = (LONG_NAMES.has(name) && isLong(schema)) || value?.includes('\n');
  return isMultiline ? longText(value) : textual(inputType(schema), value, exampleOf(name, schema));
}

/** A string that takes a date or a time says so. */
function takesDateOrTime(description) {
  const words = description.toLowerCase();
  return (
    words.includes('t09:00') || (words.includes('a date') && words.includes('or a time')) || /^(?:like|new) (?:start|end)\b/.test(words)
  );
}

function choicesOf(values) {
  return values.map((value) => [JSON.stringify(value), detailValue(value)]);
}

function yesNo() {
  return [
    ['true', FORM.yes],
    ['false', FORM.no],
  ];
}

function chooser(options, preset, value) {
  const text = options.find(([one]) => one === JSON.stringify(preset))?.[1];
  const nodes = options.map(([one, label]) => element('option', { value: one }, label));
  const node = element('select', {}, element('option', { value: '' }, text === undefined ? '–' : `– (${text})`), ...nodes);
  if (value !== undefined) node.value = JSON.stringify(value);
  return { node, read: () => (node.value === '' ? undefined : JSON.parse(node.value)) };
}

function numeric({ type, minimum, maximum, default: preset }, value = '') {
  const step = type === 'integer' ? '1' : 'any';
  const node = element('input', { type: 'number', step, min: minimum ?? '', max: maximum ?? '', placeholder: preset ?? '', value });
  return { node, read: () => (node.value === '' ? undefined : node.valueAsNumber) };
}

function inputType({ format }) {
  return format === 'email' ? 'email' : 'text';
}

function isLong({ maxLength }) {
  return maxLength === undefined || maxLength > LONG_TEXT;
}

function textual(type, value = '', placeholder = '') {
  const node = element('input', { type, placeholder, autocomplete: 'off', dir: 'auto', value });
  return { node, read: () => (node.value === '' ? undefined : node.value) };
}

function longText(value = '') {
  const node = element('textarea', { rows: 4, className: 'long-text', dir: 'auto', value });
  return { node, read: () => (node.value === '' ? undefined : node.value) };
}

/** Without the time, the value is a date. */
function dateAndTime(label, { id, description, value = '' }) {
  const [, day = '', clock = ''] = DATE_OR_TIME.exec(value) ?? [];
  const date = element('input', { type: 'date', value: day });
  const time = element('input', { type: 'time', id: `${id}-time`, value: clock });
  const hidden = element('label', { htmlFor: time.id, className: 'unseen' }, FORM.timeOfDay(label));
  const read = () => {
    if (date.value === '') return undefined;
    return time.value === '' ? date.value : `${date.value}T${time.value}`;
  };
  // A description of the text to write is not about these fields.
  const hint = description.includes('T09:00') ? FORM.allDay : description;
  return { node: element('div', { className: 'date-and-time' }, date, hidden, time), labelled: date, read, hint };
}

function boxes(values, chosen = []) {
  const inputs = values.map((value) => element('input', { type: 'checkbox', value, checked: chosen.includes(value) }));
  const labels = inputs.map((input) => element('label', { className: 'box' }, input, detailValue(input.value)));
  const read = () => {
    const ticked = inputs.filter((input) => input.checked).map((input) => input.value);
    return ticked.length === 0 ? undefined : ticked;
  };
  return { node: element('fieldset', { className: 'boxes' }, ...labels), read };
}

function lines(name, items, value = []) {
  const shown = shownEntries(value);
  // An entry that a line can't show.
  if (shown === undefined) return json(name, value);
  const example = exampleOf(name, items);
  const placeholder = example === '' ? FORM.onePerLine : FORM.likeOnePerLine(example);
  const text = [...shown.keys()].join('\n');
  const node = element('textarea', { rows: 1, className: 'lines-input', placeholder, spellcheck: false, value: text });
  const read = () => {
    const entries = node.value
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    return entries.length === 0 ? undefined : entries.map((entry) => shown.get(entry) ?? entry);
  };
  return { node, read };
}

function json(label, value) {
  const text = value === undefined ? '' : JSON.stringify(value, null, 2);
  const node = element('textarea', { rows: 2, placeholder: 'JSON', spellcheck: false, value: text });
  const read = () => {
    if (node.value.trim() === '') return undefined;
    try {
      return JSON.parse(node.value);
    } catch {
      throw new SyntaxError(FORM.notJson(label));
    }
  };
  return { node, read };
}
