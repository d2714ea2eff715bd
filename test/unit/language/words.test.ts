import { describe, expect, it } from 'vitest';
import { actionName, groupName } from '../../../public/language/en/actions.js';
import { missingPermissions } from '../../../public/language/en/permissions.js';
import { nameOfAddress, plainWords } from '../../../public/language/names.js';
import { BUILT_INS } from '../../../src/actions/built-ins.ts';
import { SCOPE_NAMES } from '../../../src/providers/workspace/workspace-scopes.ts';

describe('an action', () => {
  it('is named by what it does', () => {
    for (const name of BUILT_INS.keys()) expect(actionName(name)).not.toBe(plainWords(name.replace('.', ' ')));
    expect(actionName('mail.search')).toBe('Search mail');
    expect(groupName('drive')).toBe('Files');
  });

  it('that the operator declared has the words of its name', () => {
    expect(actionName('tasks.mark_done')).toBe('Tasks mark done');
    expect(groupName('tasks')).toBe('Tasks');
  });
});

describe('missing permissions', () => {
  it('are said by what can’t be done', () => {
    expect(missingPermissions(['mail.send', 'mail.modify'])).toBe('Can’t send, read or label mail.');
    expect(missingPermissions(['drive', 'presentations.readonly'])).toBe('Can’t use your files. Can’t read presentations.');
  });

  it('have words for each scope', () => {
    for (const scope of SCOPE_NAMES) expect(missingPermissions([scope])).not.toContain(`use ${scope}`);
  });
});

describe('a name', () => {
  it.each([
    ['Ana Müller <ana@example.org>', 'Ana Müller'],
    ['"Müller, Ana" <ana@example.org>', 'Müller, Ana'],
    ['דנה לוי <dana@example.org>', 'דנה לוי'],
    ['ana@example.org', 'ana@example.org'],
    ['<ana@example.org>', '<ana@example.org>'],
  ])('of the address %s is %s', (address, name) => {
    expect(nameOfAddress(address)).toBe(name);
  });

  it('of a category is written in words', () => {
    expect(['FOOD_AND_DRINK', 'missing_scopes', 'Ana'].map(plainWords)).toEqual(['Food and drink', 'Missing scopes', 'Ana']);
  });
});
