import supertest, { type Response, Test } from 'supertest';

export interface CallOptions {
  method?: string;
  token?: string;
  form?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
}

export interface HttpResponse {
  status: number;
  headers: Headers;
  /** Parsed JSON; undefined where the response is no JSON. */
  body: any;
  text: string;
}

/**
 * Requests to a service, in supertest's way: `request(url).get('/user').set('Authorization', token).expect(200)`.
 * Redirects are not followed. Without a base, paths are whole addresses.
 */
export function request(base = '') {
  return supertest(base);
}

/** One request of any method, with its form, JSON or token from options; a `form` or `body` makes it a POST. */
export async function send(base: string, path: string, options: CallOptions = {}): Promise<HttpResponse> {
  const body = options.form === undefined ? options.body : new URLSearchParams(options.form).toString();
  const url = new URL(path, base);
  const test = new Test(url.origin, options.method ?? (body === undefined ? 'GET' : 'POST'), url.pathname + url.search);
  test.set('Accept', '*/*').redirects(0).buffer(true).parse(readText);
  if (options.form !== undefined) test.type('application/x-www-form-urlencoded;charset=UTF-8');
  else if (body !== undefined) test.type('text/plain;charset=UTF-8');
  if (options.token !== undefined) test.set('Authorization', options.token);
  test.set(options.headers ?? {});
  const response = await (body === undefined ? test : test.send(body));
  const headers = headersOf(response);
  const text = response.text ?? '';
  const isJson = headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers, text, body: isJson && text !== '' ? JSON.parse(text) : undefined };
}

function headersOf(response: Response): Headers {
  const { 'set-cookie': cookies, ...others } = response.headers as Record<string, string> & { 'set-cookie'?: string[] };
  return new Headers([...Object.entries(others), ...(cookies ?? []).map((cookie): [string, string] => ['set-cookie', cookie])]);
}

/** Leaves the body as text, whatever its type. */
function readText(response: Response, done: (error: Error | null, body: unknown) => void): void {
  const stream = response as Response & NodeJS.ReadableStream;
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (part) => (text += part));
  stream.on('end', () => done(null, Object.assign(response, { text }).text));
}
