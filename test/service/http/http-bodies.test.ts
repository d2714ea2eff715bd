import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveSchema } from '../../support/openapi/openapi-schema.ts';
import { sendRaw } from '../../support/servers/raw-http.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { expectError } from '../../support/users/expect-error.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const MEGABYTE = 1024 * 1024;
/** Where JSON may be larger than a form. */
const LARGE = ['/agents/mail.search', '/chat', '/tokens', '/approvals/00000000-0000-4000-8000-000000000000'];

let steward: TestSteward;
let token: string;

beforeAll(async () => {
  steward = await startSteward();
  token = await steward.signIn();
});

afterAll(() => steward.stop());

function post(body: string | Uint8Array, type: string | undefined, path = '/waitlist', headers: Record<string, string> = {}) {
  const given = { ...(type !== undefined && { 'content-type': type }), ...headers };
  return steward.call(path, { method: 'POST', headers: given, body: body as string });
}

async function waiting(): Promise<string[]> {
  const rows = await steward.sql<{ email: string }>('select email from waitlist order by email');
  return rows.map(({ email }) => email);
}

describe('a form', () => {
  it.each([
    ['a broken escape', 'email=%zz'],
    ['a truncated escape', 'email=a%40example.com%4'],
    ['a lone percent sign', 'email=%'],
    ['bytes that are not UTF-8', 'email=%ff%fe%40example.com'],
    ['an overlong encoding', 'email=%c0%ae%40example.com'],
    ['a broken escape beside a valid field', 'email=a%40example.com&x=%zz'],
    ['a truncated escape beside a valid field', 'email=a%40example.com&x=%4'],
    ['a name that is not UTF-8 beside a valid field', 'email=a%40example.com&%ff=1'],
    ['a surrogate', 'email=%ed%a0%80%40example.com'],
  ])('with %s is rejected', async (_name, body) => {
    expectError(await post(body, FORM), 'invalid_request');
    expect(await waiting()).toEqual([]);
  });

  it.each([
    ['given twice', 'email=a%40example.com&email=b%40example.com'],
    ['given as a list', 'email[]=a%40example.com'],
    ['given as an object', 'email[x]=a%40example.com'],
    ['in a prototype', '__proto__[email]=a%40example.com'],
    ['in a prototype by its dotted name', '__proto__.email=a%40example.com'],
    ['named in another case', 'Email=a%40example.com'],
    ['after a semicolon', 'x=1;email=a%40example.com'],
    ['with a NUL', 'email=a%00%40example.com'],
    ['with a raw NUL', 'email=a\0@example.com'],
  ])('with its field %s is rejected by the field’s name', async (_name, body) => {
    expectError(await post(body, FORM), 'invalid_request', /^(email: |(email\[\]|Email): is unknown \(did you mean email\?\)$)/);
    expect(await waiting()).toEqual([]);
  });

  it('of 10,000 parameters is rejected', async () => {
    const many = Array.from({ length: 10_000 }, () => 'a').join('&');
    const response = await post(`email=a%40example.com&${many}`, FORM);
    expect(['too_large', 'invalid_request']).toContain(response.body.code);
    expectError(response, response.body.code);
    const small = Array.from({ length: 101 }, () => 'a').join('&');
    expectError(await post(`email=a%40example.com&${small}`, FORM), 'too_large');
    expect(await waiting()).toEqual([]);
  });
});

describe('a JSON body', () => {
  it.each([
    ['malformed', '{"email":"a@example.com"'],
    ['an array', '["a@example.com"]'],
    ['an array of objects', '[{"email":"a@example.com"}]'],
    ['a string', '"a@example.com"'],
    ['a number', '7'],
    ['null', 'null'],
    ['two values', '{}{}'],
    ['with a trailing comma', '{"email":"a@example.com",}'],
    ['nested 5,000 deep', `{"email":${'['.repeat(4_000)}${']'.repeat(4_000)}}`],
    ['with a number as field', '{"email":7}'],
    ['with a list as field', '{"email":["a@example.com"]}'],
    ['with an object as field', '{"email":{"toString":"a@example.com"}}'],
    ['with null as field', '{"email":null}'],
    ['with a prototype', '{"__proto__":{"email":"a@example.com"}}'],
    ['with a constructor', '{"constructor":{"prototype":{"email":"a@example.com"}}}'],
    ['with a NUL', '{"email":"a\\u0000@example.com"}'],
    ['with a lone surrogate', '{"email":"\\ud800@example.com"}'],
  ])('that is %s is rejected', async (_name, body) => {
    expectError(await post(body, JSON_TYPE), 'invalid_request');
    expect(await waiting()).toEqual([]);
    expect(Object.prototype).not.toHaveProperty('email');
  });

  it.each([
    ['a byte of another charset', Buffer.from('{"email":"\xe4@example.com"}', 'latin1')],
    ['half of a pair', Buffer.concat([Buffer.from('{"email":"a'), Buffer.from([0xed, 0xa0, 0xbd]), Buffer.from('@example.com"}')])],
  ])('that is not UTF-8 is rejected: %s', async (_what, body) => {
    const response = await fetch(`${steward.url}/waitlist`, { method: 'POST', headers: { 'content-type': JSON_TYPE }, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid_request', message: 'The body is not UTF-8.' });
    expect(await waiting()).toEqual([]);
  });

  it('does not pollute prototypes for later requests', async () => {
    await post('{"__proto__":{"redirect_uri":"https://evil.example","email":"x@example.com"},"email":"bad"}', JSON_TYPE);
    expectError(await post('{}', JSON_TYPE), 'invalid_request', /^email: is required/);
  });

  it.each(LARGE)('without a token is not even parsed at %s, where it may be large', async (path) => {
    expectError(await post('{', JSON_TYPE, path), 'invalid_token');
  });
});

describe('a body too large', () => {
  it.each([FORM, JSON_TYPE])('of 1 MB as %s is 413', async (type) => {
    expectError(await post('a'.repeat(MEGABYTE), type), 'too_large');
  });

  it('is 413 one byte over the limit, and accepted at the limit', async () => {
    const fill = (length: number) => '{"email":"limit@example.com"}'.padEnd(length);
    expectError(await post(fill(10_241), JSON_TYPE), 'too_large');
    expect((await post(fill(10_240), JSON_TYPE)).status).toBe(200);
    await steward.sql('delete from waitlist');
  });

  it('is 413 when it arrives in chunks without a length', async () => {
    const chunk = `1000\r\n${'a'.repeat(4096)}\r\n`;
    const response = await sendRaw(
      steward.url,
      ['POST /waitlist HTTP/1.1', `Content-Type: ${FORM}`, 'Transfer-Encoding: chunked', 'Connection: close'],
      `${chunk.repeat(256)}0\r\n\r\n`,
    );
    expectError(response, 'too_large');
  });

  it('is 401 first if a token is required', async () => {
    const response = await post('a'.repeat(MEGABYTE), FORM, '/auth/bank/set_access_token');
    expect([401, 413]).toContain(response.status);
  });
});

describe('a body of another media type', () => {
  it.each<[string, string | Uint8Array, string | undefined, Record<string, string>]>([
    ['text/plain', 'email=a%40example.com', 'text/plain', {}],
    [
      'multipart/form-data',
      '--x\r\ncontent-disposition: form-data; name=email\r\n\r\na@example.com\r\n--x--',
      'multipart/form-data; boundary=x',
      {},
    ],
    ['application/xml', '<email>a@example.com</email>', 'application/xml', {}],
    ['a made-up type', 'x', 'nonsense', {}],
    ['latin1', 'email=a%40example.com', `${FORM}; charset=latin1`, {}],
    ['JSON in latin1', '{"email":"a@example.com"}', `${JSON_TYPE}; charset=latin1`, {}],
    ['an unknown charset', 'email=a%40example.com', `${FORM}; charset=x-evil`, {}],
    ['gzip', gzipSync('email=a%40example.com'), FORM, { 'content-encoding': 'gzip' }],
    ['gzip JSON', gzipSync('{"email":"a@example.com"}'), JSON_TYPE, { 'content-encoding': 'gzip' }],
    ['an unknown encoding', 'email=a%40example.com', FORM, { 'content-encoding': 'rot13' }],
  ])('is 415: %s', async (_name, body, type, headers) => {
    expectError(await post(body, type, '/waitlist', headers), 'unsupported_media_type');
    expect(await waiting()).toEqual([]);
  });

  it('is 415 without a type', async () => {
    const response = await sendRaw(
      steward.url,
      ['POST /waitlist HTTP/1.1', 'Content-Length: 19', 'Connection: close'],
      'email=a@example.com',
    );
    expectError(response, 'unsupported_media_type');
  });

  it.each([`${FORM}; charset=utf-8`, `${FORM};charset=UTF-8`])('is accepted as %s', async (type) => {
    expect((await post('email=typed%40example.com', type)).status).toBe(200);
    await steward.sql('delete from waitlist');
  });
});

describe('a NUL byte', () => {
  const addressOf = (path: string) =>
    path
      .replace('{source}', 'tickets')
      .replace('{secret}', 'x'.repeat(43))
      .replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000');

  it('is rejected in every field of every form, with the field’s name', async () => {
    const { body: document } = await steward.call('/openapi.json');
    expect(document.components).toBeDefined();
    let fields = 0;
    for (const [path, { post: operation }] of Object.entries<Record<string, any>>(document.paths)) {
      const properties = resolveSchema(document, operation?.requestBody?.content[FORM]?.schema)?.properties ?? {};
      for (const name of Object.keys(properties)) {
        const decision = properties.decision?.enum?.[0] ?? 'confirm';
        const usual = Object.entries({ email: 'a@example.com', confirmation: 'x', decision, approved: 'true' });
        const form = { ...Object.fromEntries(usual.filter(([one]) => one in properties)), [name]: 'a\0b' };
        const response = await steward.call(addressOf(path), { token, form });
        // A malformed id is not found, where it is all that is asked for.
        if (name === 'account_id' && !path.endsWith('/connect')) expectError(response, 'not_found');
        else expectError(response, 'invalid_request', name === 'input_json' ? /not valid JSON/ : new RegExp(`^${name}: `));
        fields += 1;
      }
    }
    expect(fields).toBeGreaterThanOrEqual(8);
    expect(await waiting()).toEqual([]);
  });

  it('is rejected in every query', async () => {
    const { paths } = (await steward.call('/openapi.json')).body;
    let parameters = 0;
    for (const [path, { get: operation }] of Object.entries<Record<string, any>>(paths)) {
      for (const { name } of (operation?.parameters ?? []).filter((parameter: any) => parameter.in === 'query')) {
        const query = new URLSearchParams({ ...(path.endsWith('/login') && { token: 'x' }), [name]: 'a\0b' });
        const address = addressOf(path);
        expectError(await steward.call(`${address}?${query}`, { token }), 'invalid_request', new RegExp(`^${name}: `));
        parameters += 1;
      }
    }
    expect(parameters).toBeGreaterThanOrEqual(7);
  });
});
