import { describe, expect, it } from 'vitest';
import { matches } from '../../../src/executor/policy/allow-lists.ts';
import { addressKey, domainKey } from '../../../src/validation/email-address.ts';
import { check, emailAddress } from '../../../src/validation/validate.ts';

const KELVIN = '\u212a';

describe('a mail address', () => {
  it.each([
    ['demo@example.com', 'demo@example.com'],
    [' Demo.X+y@Example.COM ', 'Demo.X+y@Example.COM'],
    ['user@müller.example', 'user@xn--mller-kva.example'],
    ['User@MÜLLER.Example', 'User@xn--mller-kva.example'],
    ['user@mu\u0308ller.example', 'user@xn--mller-kva.example'],
    ['user@XN--MLLER-KVA.example', 'user@xn--mller-kva.example'],
    ['用户@example.com', '用户@example.com'],
    ['jo\u0308rg@example.com', 'jo\u0308rg@example.com'],
    ['почта@пример.рф', 'почта@xn--e1afmkfd.xn--p1ai'],
    ['user@xn--e1afmkfd.xn--p1ai', 'user@xn--e1afmkfd.xn--p1ai'],
    ['user@faß.de', 'user@xn--fa-hia.de'],
    ['user@日本語.jp', 'user@xn--wgv71a119e.jp'],
    ['مستخدم@اهلا.com', 'مستخدم@xn--mgba0gl.com'],
    ['bounce+a=b.de@c.de', 'bounce+a=b.de@c.de'],
    ...[..."!#$%&'/=?^_`{|}~+-"].map((mark) => [`a${mark}b@c.de`, `a${mark}b@c.de`]),
    ['!@c.de', '!@c.de'],
  ])('is accepted: %j as %j', (given, sent) => {
    expect(check(emailAddress, given)).toEqual({ value: sent });
  });

  it.each([
    ['user@müller', 'no top-level domain'],
    ['user@.müller.example', 'an empty label'],
    ['user@-müller.example', 'a hyphen at the beginning'],
    ['user@mül ler.example', 'a space'],
    ['user@mül\u00adler.example', 'a soft hyphen, which would be left out'],
    ['user@mül\u200dler.example', 'a joiner'],
    ['user@exa\uff4dple.com', 'a full-width letter'],
    ['user@example\uff0ecom', 'a full-width dot'],
    [`user@${KELVIN}ite.example`, 'a Kelvin sign in the domain'],
    [`${KELVIN}ate@example.com`, 'a Kelvin sign'],
    ['user@☃.example', 'a symbol'],
    ['user@xn--zzzzzzzz.example', 'an invalid A-label'],
    ['user@xn--.example', 'an empty A-label'],
    [`user@${'ü'.repeat(60)}.example`, 'a label that is too long'],
    ['us\u200eer@example.com', 'a direction mark'],
    ['us“er@example.com', 'a quotation mark'],
    ['.用户@example.com', 'a dot at the beginning'],
    ['用户..x@example.com', 'two dots'],
    ['用户@@example.com', 'two at signs'],
    [`${'用'.repeat(85)}@example.com`, 'more than 254 octets'],
    ['@müller.example', 'nothing before the at sign'],
    ['*@example.com', 'a pattern of an allow-list'],
    ['=?utf-8?q?ana?=@example.com', 'an encoded word, which is read as another address'],
    ['a"b@example.com', 'a quotation mark of ASCII'],
    ...[...'()<>[]:;@\\, '].map((mark) => [`a${mark}b@example.com`, 'a special character']),
  ])('is rejected: %j, %s', (given) => {
    expect(check(emailAddress, given)).toEqual({ problem: 'must be a mail address' });
  });
});

describe('two addresses', () => {
  it.each([
    ['Bob@Müller.example', 'bob@xn--mller-kva.example'],
    ['jo\u0308rg@example.com', 'jörg@example.com'],
    ['user@ПРИМЕР.рф', 'user@xn--e1afmkfd.xn--p1ai'],
  ])('are the same: %j and %j', (one, other) => {
    expect(addressKey(one)).toBe(addressKey(other));
  });

  it.each([
    ['nаtive@example.com', 'native@example.com'],
    ['user@nаtive.com', 'user@native.com'],
    [`mar${KELVIN}@example.com`, 'mark@example.com'],
    [`user@mar${KELVIN}.example`, 'user@mark.example'],
    ['user@faß.de', 'user@fass.de'],
    ['Ü@example.com', 'ü@example.com'],
    ['user@exa\u00admple.com', 'user@example.com'],
  ])('are others: %j and %j', (one, other) => {
    expect(addressKey(one)).not.toBe(addressKey(other));
  });

  it('of an allow-list are compared as addresses, in each spelling of their domain', () => {
    expect(matches('*@müller.example', 'bob@xn--mller-kva.example')).toBe(true);
    expect(matches('*@*.xn--mller-kva.example', 'bob@mail.müller.example')).toBe(true);
    expect(matches('*@native.com', 'user@nаtive.com')).toBe(false);
    expect(domainKey('Müller.example')).toBe('xn--mller-kva.example');
  });
});
