import { describe, expect, it } from 'vitest';
import { BUILT_INS } from '../../../src/actions/built-ins.ts';
import { AppError } from '../../../src/errors.ts';
import { parseArguments } from '../../../src/executor/checks/parse-arguments.ts';

async function parse(name: string, given: unknown): Promise<any> {
  const action = BUILT_INS.get(name);
  if (action === undefined) throw new Error(`no ${name}`);
  return parseArguments((await action.load()).input, (await action.schemas()).input, given);
}

const event = { id: 'e1', scope: 'this', notify: false };

describe('arguments', () => {
  it.each([
    ['null', { id: 'e1', title: 'x', location: null, start: null, add_attendees: null, scope: null }, { ...event, title: 'x' }],
    ['an empty text', { id: 'e1', title: 'x', start: '', zone: '', scope: '' }, { ...event, title: 'x' }],
    ['neither, where an empty text has a meaning', { id: 'e1', description: '', zone: '' }, { ...event, description: '' }],
  ])('count as absent if they are %s', async (_what, given, expected) => {
    expect(await parse('calendar.update', given)).toEqual(expected);
  });

  it('count as absent inside lists, too', async () => {
    const attachment = { name: 'a.txt', text: 'x', base64: null, mime: '' };
    const mail = { to: ['a@example.org'], cc: null, subject: 'x', body: 'x', reply_to: '', attachments: [attachment] };
    const parsed = await parse('mail.send', mail);
    expect(parsed.attachments).toEqual([{ name: 'a.txt', text: 'x' }]);
    expect(parsed).not.toHaveProperty('reply_to');
  });

  it.each([
    ['calendar.update', { id: null, title: 'x' }, /^id: /],
    ['calendar.update', { id: '', title: 'x' }, /^id: /],
    ['mail.send', { to: null, body: 'x', subject: 'x' }, /^to: /],
    ['mail.send', { to: [''], body: 'x', subject: 'x' }, /^to/],
    ['mail.send', { to: [null], body: 'x', subject: 'x' }, /^to/],
    ['calendar.update', { id: 'e1', nonsense: null }, /nonsense/],
    ['calendar.update', null, /./],
  ])('stay invalid where a value is required: %s %j', async (name, given, message) => {
    await expect(parse(name, given)).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) });
  });
});

describe('large arguments', () => {
  it('are checked a few times only, however many texts are empty', () => {
    const properties = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`e${index}`, { type: 'string' }]));
    const empty = Object.fromEntries(Object.keys(properties).map((name) => [name, '']));
    const checks = (given: object) => {
      let count = 0;
      const parse = (value: unknown) => {
        count += 1;
        const wrong = Object.keys(value as object).find((name) => (value as Record<string, unknown>)[name] === '');
        if (wrong !== undefined) throw new AppError('invalid_request', `${wrong}: must not be empty`);
        return value;
      };
      try {
        parseArguments({ jsonSchema: {}, parse }, { properties }, given);
      } catch (error) {
        expect(error).toMatchObject({ code: 'invalid_request' });
      }
      return count;
    };
    expect(checks(empty)).toBe(31);
    expect(checks({ ...empty, list: Array(19_000).fill(1) })).toBeLessThan(5);
    expect(checks({ ...empty, text: 'x'.repeat(1_000_000) })).toBeLessThan(5);
  });
});
