import { describe, expect, it } from 'vitest';
import { givenArguments } from '../../../src/executor/policy/given-arguments.ts';

const text = { type: 'string' };
const role = { type: 'string', enum: ['reader', 'writer'] };

describe('the arguments that an allowance is bound to', () => {
  it('are named, with the values of those that are a choice, in the order of their names', () => {
    const schema = { type: 'object', properties: { text, role, notify: { type: 'boolean' }, minutes: { type: 'integer' } } };
    expect(givenArguments(schema, { text: 'Hello.', role: 'writer', notify: false, minutes: 0 })).toEqual([
      { name: 'minutes', values: [0] },
      { name: 'notify', values: [false] },
      { name: 'role', values: ['writer'] },
      { name: 'text' },
    ]);
  });

  it('are not those that are null or hold nothing', () => {
    expect(givenArguments({}, { files: [], about: {}, end: null, start: undefined, title: '' })).toEqual([{ name: 'title' }]);
  });

  it('are found in lists and objects, whatever their places', () => {
    const guests = { type: 'array', items: { type: 'object', properties: { email: text, role } } };
    const given = { guests: [{ email: 'a@b.c', role: 'writer' }, { email: 'd@e.f', optional: true }, { role: 'reader' }] };
    expect(givenArguments({ properties: { guests } }, given)).toEqual([
      { name: 'guests.email' },
      { name: 'guests.optional', values: [true] },
      { name: 'guests.role', values: ['reader', 'writer'] },
    ]);
  });

  it.each([
    ['one of several', { anyOf: [role, { type: 'null' }] }],
    ['one of exactly one', { oneOf: [role] }],
    ['all of', { allOf: [text, { enum: ['writer'] }] }],
    ['a constant', { const: 'writer' }],
    ['a condition', JSON.parse('{"if": {"type": "string"}, "then": {"enum": ["writer"]}}')],
    ['its alternative', { if: { type: 'number' }, else: role }],
    ['a reference', { $ref: '#/definitions/a~1role' }],
    ['a reference into a list', { $ref: '#/definitions/all/allOf/0' }],
    ['a reference to a reference', { $ref: '#/definitions/again' }],
  ])('have the value of a choice that the schema states as %s', (_what, property) => {
    const definitions = { 'a/role': role, all: { allOf: [role] }, again: { $ref: '#/definitions/a~1role' } };
    expect(givenArguments({ properties: { role: property }, definitions }, { role: 'writer' })).toEqual([
      { name: 'role', values: ['writer'] },
    ]);
  });

  it.each([
    ['further items', { items: [text], additionalItems: role }],
    ['what it contains', { items: text, contains: role }],
  ])('have the value of a choice in a list that the schema states as %s', (_what, roles) => {
    expect(givenArguments({ properties: { roles } }, { roles: ['ana', 'writer'] })).toEqual([
      { name: 'roles', values: expect.arrayContaining(['writer']) },
    ]);
  });

  it('are found in a schema that refers to itself', () => {
    const schema = { properties: { under: { $ref: '#' }, role }, anyOf: [{ $ref: '#' }] };
    expect(givenArguments(schema, { under: { role: 'reader' } })).toEqual([{ name: 'under.role', values: ['reader'] }]);
  });
});
