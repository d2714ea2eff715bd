import { calendar } from 'googleapis/build/src/apis/calendar/index.js';
import { docs } from 'googleapis/build/src/apis/docs/index.js';
import { drive } from 'googleapis/build/src/apis/drive/index.js';
import { gmail } from 'googleapis/build/src/apis/gmail/index.js';
import { sheets } from 'googleapis/build/src/apis/sheets/index.js';
import { slides } from 'googleapis/build/src/apis/slides/index.js';
import { describe, expect, it } from 'vitest';
import { loadTable } from '../../../src/providers/workspace/workspace-methods.ts';
import { findMethod, type MethodParams } from '../../../src/providers/workspace/workspace-request.ts';
import { fc } from '../../support/runner/property.ts';

/** The provider's own SDK, which the table is generated from, decides what a request looks like. */
const SDK: Record<string, object> = {
  gmail: gmail({ version: 'v1' }),
  calendar: calendar({ version: 'v3' }),
  drive: drive({ version: 'v3' }),
  docs: docs({ version: 'v1' }),
  sheets: sheets({ version: 'v4' }),
  slides: slides({ version: 'v1' }),
};
const ROOTS = [undefined, 'http://127.0.0.1:4010', 'https://example.com/some/path'];
const BOUNDARY = /[\da-f]{8}-[\da-f-]{27}/g;
const TOKEN = 'token';

interface Sent {
  method: string;
  url: string;
  type: string | undefined;
  authorization: string | undefined;
  body: string;
}

const { methods } = await loadTable();
const ids = Object.keys(methods);

/** What the SDK sends; undefined: it rejects the parameters. */
async function sentBySdk(id: string, params: MethodParams, apiUrl: string | undefined): Promise<Sent | undefined> {
  const [api = '', ...path] = id.split('.');
  const name = path.pop() ?? '';
  const resource = path.reduce<Record<string, unknown>>((of, part) => of[part] as Record<string, unknown>, SDK[api] as never);
  let sent: Sent | undefined;
  const fetchImplementation = async (input: URL | string, init: RequestInit) => {
    const headers = new Headers(init.headers);
    const body = init.body === undefined || init.body === null ? '' : await new Response(init.body).text();
    sent = {
      method: init.method ?? 'GET',
      url: String(input),
      type: headers.get('content-type') ?? undefined,
      authorization: headers.get('authorization') ?? undefined,
      body,
    };
    return new Response('{}', { status: 200, headers: { 'content-type': 'application/json' } });
  };
  const options = {
    ...(apiUrl !== undefined && { rootUrl: `${apiUrl}/` }),
    headers: { authorization: `Bearer ${TOKEN}` },
    retry: false,
    fetchImplementation,
  };
  await (resource[name] as (params: object, options: object) => Promise<unknown>).call(resource, params, options).catch(() => {});
  return sent && normalized(sent);
}

async function sentByUs(id: string, params: MethodParams, apiUrl: string | undefined): Promise<Sent | undefined> {
  const method = await findMethod(id);
  let request: ReturnType<typeof method.request>;
  try {
    request = method.request(params, apiUrl, TOKEN);
  } catch {
    return undefined;
  }
  const { origin, path, headers, body = '' } = request;
  return normalized({
    method: request.method,
    // As the SDK, which changes nothing in our address.
    url: new URL(`${origin}${path}`).href,
    type: headers['content-type'],
    authorization: headers.authorization,
    body: typeof body === 'string' ? body : Buffer.from(body).toString(),
  });
}

function normalized(sent: Sent): Sent {
  // An empty list leaves the SDK with a question mark that nothing follows.
  return { ...sent, url: sent.url.replace(/\?$/, ''), type: sent.type?.replace(BOUNDARY, 'B'), body: sent.body.replace(BOUNDARY, 'B') };
}

/** Texts of any characters except lone surrogates, often those that mean something in an address. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(..."/?#%&=+.:@!'()*[]{}\\ \t\r\n\0~-_aé漢") }),
  fc.constantFrom('.', '..', '../x', 'a/../b', '%2e%2e', '%2F', 'a b', 'me', 'primary', '1AbC-_d', '{+name}', '//host'),
);
const inQuery = fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text, { maxLength: 3 }));

/** Parameters of a method: those in its path, some of the others, and sometimes a body and media. */
function paramsOf(id: string): fc.Arbitrary<MethodParams> {
  const { path, params, body, upload } = methods[id] as (typeof methods)[string];
  const inPath = Object.keys(params).filter((name) => path.includes(`{${name}}`) || path.includes(`{+${name}}`));
  const others = Object.keys(params).filter((name) => !inPath.includes(name));
  const all = {
    ...Object.fromEntries(inPath.map((name) => [name, text.filter((value) => value !== '')])),
    ...Object.fromEntries([...others, 'fields'].map((name) => [name, inQuery])),
    ...(body !== undefined && {
      requestBody: fc.dictionary(fc.constantFrom('name', 'summary', 'id'), text).map((fields) => ({ ...fields, mimeType: 'text/csv' })),
    }),
    ...(upload !== undefined && {
      media: fc.record({ mimeType: fc.constantFrom('text/plain', 'message/rfc822'), body: text }, { requiredKeys: ['body'] }),
    }),
  };
  return fc.record(all, { requiredKeys: inPath as never[] }) as fc.Arbitrary<MethodParams>;
}

describe('a request', () => {
  it.each(ids)('is the one that the provider’s SDK sends: %s', async (id) => {
    const runs = (methods[id]?.upload ?? methods[id]?.path.match(/\{\+/)) ? 60 : 12;
    await fc.assert(
      fc.asyncProperty(paramsOf(id), fc.constantFrom(...ROOTS), async (params, apiUrl) => {
        expect(await sentByUs(id, params, apiUrl)).toEqual(await sentBySdk(id, structuredClone(params), apiUrl));
      }),
      { numRuns: runs },
    );
  });

  it('sends the bytes of a file', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 128]);
    const method = await findMethod('drive.files.create');
    const media = { mimeType: 'application/pdf', body: bytes };
    const { body, headers, path } = method.request({ requestBody: { name: 'a' }, media }, undefined, TOKEN);
    const boundary = /boundary=(.+)/.exec(headers['content-type'] ?? '')?.[1];
    const head = `--${boundary}\r\ncontent-type: application/json\r\n\r\n{"name":"a"}\r\n--${boundary}\r\ncontent-type: application/pdf\r\n\r\n`;
    expect(body).toEqual(Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--`)]));
    expect(path).toBe('/upload/drive/v3/files?uploadType=multipart');
  });

  it.each([
    ['a path parameter is missing', 'drive.files.get', {}],
    ['a path parameter is null', 'drive.files.get', { fileId: null }],
    ['it would call another method', 'drive.files.get', { fileId: '' }],
    ['it would leave the path', 'drive.files.get', { fileId: '..' }],
    ['a path parameter is an object', 'drive.files.get', { fileId: { a: 1 } }],
    ['a text is half a character', 'drive.files.get', { fileId: '\ud800' }],
    ['a media type would begin another header', 'drive.files.create', { media: { mimeType: 'a/b\r\nx: y', body: 'a' }, requestBody: {} }],
  ])('is not built when %s', async (_why, id, params) => {
    const method = await findMethod(id);
    expect(() => method.request(params as MethodParams, undefined, TOKEN)).toThrow();
  });

  it('leaves out parameters that are null', async () => {
    const method = await findMethod('drive.files.list');
    expect(method.request({ q: null, pageSize: 1 }, undefined, TOKEN).path).toBe('/drive/v3/files?pageSize=1');
  });

  it.each(['gmail.users.nothing', 'constructor', 'gmail.toString', ''])('is not built for a method that does not exist: %s', async (id) => {
    await expect(async () => findMethod(id)).rejects.toThrow();
  });
});
