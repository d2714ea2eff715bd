import { element } from './dom.js';
import { field } from './field.js';

/** Where a problem of the service's is shown: the path of the value in the request, `trigger.filter.from`. */
function named(path, control) {
  control.id = `field-${path.replaceAll('.', '-')}`;
  control.setAttribute('data-path', path);
  return control;
}

/** A labelled field for a text, a number or a time. @param options.hint below it; the others are properties of the control */
export function inputField(path, label, { hint, ...properties } = {}) {
  return field(label, named(path, element('input', { autocomplete: 'off', ...properties })), hint);
}

/** The same for several lines. */
export function textField(path, label, { hint, ...properties }) {
  return field(label, named(path, element('textarea', { className: 'long-text', dir: 'auto', ...properties })), hint);
}

/** A labelled choice. @param entries `[value, text]` @param options.value the chosen one */
export function selectField(path, label, entries, { value, hint, ...properties } = {}) {
  const nodes = entries.map(([one, text]) => element('option', { value: one, selected: String(one) === String(value) }, text));
  return field(label, named(path, element('select', properties, ...nodes)), hint);
}

/** A box to tick, with its label behind it. @param options.about what it means */
export function tickBox(label, { about, ...properties } = {}) {
  const input = element('input', { type: 'checkbox', ...properties });
  const more = about === undefined ? undefined : element('span', { className: 'muted' }, `: ${about}`);
  return element('label', { className: 'box' }, input, element('span', {}, label, more));
}

/**
 * One of several ways, as radio buttons in words.
 *
 * @param entries `[value, [title, about]]`
 * @param options.changed receives the value that the user chooses
 */
export function choice(path, legend, entries, { value, changed }) {
  const labels = entries.map(([one, [title, about]]) => {
    const input = element('input', { type: 'radio', name: path, value: one, checked: one === value });
    return element(
      'label',
      { className: 'box' },
      input,
      element('span', {}, title, about && element('span', { className: 'muted' }, `: ${about}`)),
    );
  });
  const node = element(
    'fieldset',
    { id: `field-${path}`, className: 'ways field', 'data-path': path },
    element('legend', {}, legend),
    ...labels,
  );
  node.addEventListener('change', ({ target }) => target.name === path && changed?.(target.value));
  return { node, read: () => node.querySelector(`input[name="${path}"]:checked`).value };
}

/** The control of a field. */
export const controlOf = (node) => node.querySelector('[data-path]');

/** What is entered in a field; undefined: nothing. */
export function entered(node) {
  const { value, type, valueAsNumber } = controlOf(node);
  if (value.trim() === '') return undefined;
  return type === 'number' ? valueAsNumber : value.trim();
}

/** Without what is undefined. */
export function compact(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
