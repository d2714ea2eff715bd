import { describe, expect, it } from 'vitest';
import { asSent, changedInput, formOf } from '../../../src/approvals/change-form.ts';
import { FIELD } from '../../../src/approvals/decision-form.ts';

const SCHEMA = {
  required: ['title'],
  properties: {
    title: { type: 'string' },
    text: { type: 'string', maxLength: 8_192 },
    place: { type: 'string' },
    start: { type: 'string' },
    notify: { type: 'boolean' },
    count: { type: 'integer' },
    role: { type: 'string', enum: ['reader', 'writer'] },
    rules: { type: 'array', items: { type: 'string' } },
  },
};

/** What a browser sends for the form of an input, after a person has changed some of it. */
function posted(input: object, changes: Record<string, string | undefined> = {}): Record<string, unknown> {
  const fields = formOf(SCHEMA, input).flatMap(({ path, control, value }): [string, unknown][] => {
    if (control === 'checkbox') return value === true ? [[FIELD + path, 'yes']] : [];
    const text = String(value);
    if (control === 'textarea' || control === 'lines') return [[FIELD + path, text.replaceAll(/\r\n?|\n/g, '\r\n')]];
    if (control === 'datetime') return [[FIELD + path, text.replace(/(T\d\d:\d\d):00$/, '$1')]];
    return [[FIELD + path, text.replaceAll(/[\r\n]/g, '')]];
  });
  return { ...Object.fromEntries(fields), ...changes };
}
const changed = (input: object, changes: Record<string, string | undefined> = {}) =>
  changedInput(formOf(SCHEMA, input), input, posted(input, changes));

describe('a field', () => {
  it('has a hint that says more than its label, and nothing on how a time is written', () => {
    const described = (description: string) => ({ type: 'string', description });
    const properties = { title: described('Title.'), start: described('2026-05-01T09:00'), zone: described('If not the calendar’s.') };
    const fields = formOf({ properties }, { start: '2027-03-22T12:00' });
    expect(fields.map(({ label, hint }) => [label, hint])).toEqual([
      ['Title', undefined],
      ['Starts', undefined],
      ['Time zone', 'If not the calendar’s.'],
    ]);
  });
});

describe('a form in which nothing is changed', () => {
  it.each<[string, object]>([
    ['an empty text, which empties something', { title: 'x', place: '', text: '' }],
    ['line breaks of other systems', { title: 'x', text: 'a\r\nb\rc\nd' }],
    ['a line break where there is one line', { title: 'a\nb', place: ' c ' }],
    ['an empty list', { title: 'x', rules: [] }],
    ['entries of several lines, and with blanks', { title: 'x', rules: ['a\nb', ' c', ''] }],
    ['nothing in place of “no”', { title: 'x' }],
    ['a time with seconds', { title: 'x', start: '2027-03-22T12:00:00' }],
    ['no', { title: 'x', notify: false, count: 0 }],
    ['null', { title: 'x', place: null, count: null, rules: null }],
  ])('keeps %s', (_what, input) => {
    expect(changed(input)).toStrictEqual(input);
  });
});

describe('a form in which something is changed', () => {
  it('changes that, and nothing else', () => {
    const input = { title: 'x', place: '', text: 'a\r\nb', notify: true, start: '2027-03-22T12:00:00', rules: ['a'] };
    expect(changed(input, { [`${FIELD}title`]: 'y' })).toStrictEqual({ ...input, title: 'y' });
    expect(changed(input, { [`${FIELD}notify`]: undefined })).toStrictEqual({ ...input, notify: false });
    expect(changed(input, { [`${FIELD}start`]: '2027-03-22T12:30' })).toStrictEqual({ ...input, start: '2027-03-22T12:30' });
    expect(changed(input, { [`${FIELD}rules`]: ' b \r\n\r\nc' })).toStrictEqual({ ...input, rules: ['b', 'c'] });
  });

  it('leaves what is no number to the action, which says so', () => {
    for (const text of ['many', '1e999', ' '])
      expect(changed({ title: 'x', count: 3 }, { [`${FIELD}count`]: text })).toMatchObject({ count: text });
    expect(changed({ title: 'x', count: 3 }, { [`${FIELD}count`]: '4' })).toMatchObject({ count: 4 });
  });

  it('takes only the arguments of the form, and texts for what they are', () => {
    const sent = { ...posted({ title: 'x' }), [`${FIELD}__proto__`]: 'y', [`${FIELD}other`]: 'y', [`${FIELD}title`]: ['a', 'b'] };
    const fields = formOf(SCHEMA, { title: 'x' });
    expect(changedInput(fields, { title: 'x' }, sent)).toStrictEqual({ title: 'a,b' });
    expect(asSent(fields, sent).map(({ path }) => path)).toEqual(Object.keys(SCHEMA.properties));
  });
});
