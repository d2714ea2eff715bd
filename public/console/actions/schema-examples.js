import { EXAMPLES as texts } from '../../language/en/forms.js';

/** Examples for fields of the built-in actions whose schema has none. */
const EXAMPLES = {
  query: 'is:unread',
  to: 'Ana <ana@example.com>',
  cc: 'ana@example.com',
  bcc: 'ana@example.com',
  subject: texts.subject,
  zone: 'Europe/Berlin',
  title: texts.event,
  location: texts.place,
  range: 'Budget!A1:F20',
  ranges: 'Budget!A1:F20',
  folder: 'root',
  recurrence: 'RRULE:FREQ=WEEKLY;BYDAY=TU',
  add: 'STARRED',
  remove: 'UNREAD',
};

/** What a field may contain, as a placeholder: the schema's example, its default, or one of ours; empty: none is known. */
export function exampleOf(name, { examples, default: preset }) {
  const example = examples?.[0] ?? preset ?? '';
  return String(example === '' ? (EXAMPLES[name] ?? '') : example);
}
