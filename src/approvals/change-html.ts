import { CHANGE } from '../../public/language/en/approvals.js';
import { FORM } from '../../public/language/en/forms.js';
import { meaningOf } from '../../public/language/meaning.js';
import { html, type SafeHtml } from '../http/pages/html.ts';
import { hiddenIn } from '../http/pages/visible-text.ts';
import type { Control, FormField } from './change-form.ts';
import { FIELD } from './decision-form.ts';

/** What the server refuses. */
export interface FieldProblem {
  path: string;
  /** In words. */
  text: string;
}

const TYPES: Partial<Record<Control, string>> = { email: 'email', number: 'number', date: 'date', datetime: 'datetime-local' };

/** The fields of a form, an error at its field. */
export function changeFields(fields: readonly FormField[], problem?: FieldProblem): SafeHtml[] {
  return fields.map((field, index) => fieldOf(field, `change-${index}`, problem?.path === field.path ? problem.text : undefined));
}

function fieldOf(field: FormField, id: string, problem: string | undefined): SafeHtml {
  const { label, required, hint, control } = field;
  const meaning = meaningOf(field.path, String(field.value));
  const characters = hiddenIn(String(field.value));
  const hidden = characters.length === 0 ? undefined : FORM.hidden(characters.join(', '));
  const parts = { problem, means: meaning, hidden, hint };
  const about = Object.entries(parts)
    .flatMap(([name, text]) => (text === undefined ? [] : [`${id}-${name}`]))
    .join(' ');
  const described = about !== '' && html` aria-describedby="${about}"`;
  const isRequired = required && control !== 'checkbox';
  const attributes = html` id="${id}" name="${FIELD}${field.path}"${isRequired && html` required`}${described}${problem !== undefined && html` aria-invalid="true" autofocus`}`;
  const mark =
    control !== 'checkbox' &&
    (required ? html` <span class="muted">${CHANGE.required}</span>` : html` <span class="muted">${CHANGE.optional}</span>`);
  const name = html`<label for="${id}">${label}${mark}</label>`;
  const entry = controlOf(field, attributes);
  // Above the entry, which has the focus: below it, the answers may cover it.
  const wrong = problem !== undefined && html`<p class="error" id="${id}-problem">${problem}</p>\n`;
  const content = control === 'checkbox' ? html`${wrong}<div class="choice">${entry} ${name}</div>` : html`${name}\n${wrong}${entry}`;
  const lines = control === 'lines' ? `${CHANGE.lines} ` : '';
  return html`<div class="field">${content}
${meaning !== undefined && html`<p id="${id}-means">${FORM.means(meaning)}</p>\n`}${hidden !== undefined && html`<p id="${id}-hidden">${hidden}</p>\n`}${hint !== undefined && html`<p class="muted" id="${id}-hint"><small>${lines}${hint}</small></p>`}
</div>
`;
}

function controlOf({ control, value, options = [], required }: FormField, attributes: SafeHtml): SafeHtml {
  if (control === 'checkbox') return html`<input type="checkbox" value="yes"${attributes}${value === true && html` checked`}>`;
  if (control === 'textarea' || control === 'lines') {
    return html`<textarea rows="${control === 'lines' ? 3 : 8}" dir="auto"${attributes}>
${value}</textarea>`;
  }
  if (control === 'select') {
    const all = required ? options : ['', ...options];
    return html`<select${attributes}>${all.map((one) => html`<option value="${one}"${one === value && html` selected`}>${one === '' ? CHANGE.none : one}</option>`)}</select>`;
  }
  return html`<input type="${TYPES[control] ?? 'text'}" dir="auto" value="${value}"${attributes}>`;
}
