import { type CallOptions, type HttpResponse, send } from '../users/request.ts';

/** A browser without scripts: it stores the cookies of one host, and fills in the forms of pages. */
export class FormBrowser {
  readonly #base: string;
  readonly cookies = new Map<string, string>();

  constructor(base: string) {
    this.#base = base;
  }

  /** The Cookie header of a request. */
  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Copies the cookies of another browser. */
  take({ cookies }: FormBrowser): this {
    for (const [name, value] of cookies) this.cookies.set(name, value);
    return this;
  }

  /** Sends one request with the stored cookies, and stores those of the response. */
  async visit(url: string, options: CallOptions = {}): Promise<HttpResponse> {
    const cookie = this.cookieHeader;
    const response = await send(this.#base, url, {
      ...options,
      headers: { accept: 'text/html', ...(cookie !== '' && { cookie }), ...options.headers },
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  /** Posts the page's first form with the given button or fields. */
  async submit(
    page: HttpResponse,
    pageUrl: string,
    change: (fields: URLSearchParams) => void,
    headers: Record<string, string> = {},
  ): Promise<HttpResponse> {
    const action = /<form[^>]*action="([^"]*)"/.exec(page.text)?.[1] ?? pageUrl;
    const fields = formFields(/<form[\s\S]*?<\/form>/.exec(page.text)?.[0] ?? '');
    change(fields);
    return this.visit(new URL(decode(action), new URL(pageUrl, this.#base)).href, {
      method: 'POST',
      body: fields.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: new URL(this.#base).origin, ...headers },
    });
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';');
    const [name = '', value = ''] = pair.split('=');
    const expired = attributes.some((attribute) => /^\s*expires=thu, 01 jan 1970/i.test(attribute) || /^\s*max-age=0/i.test(attribute));
    if (expired) this.cookies.delete(name.trim());
    else this.cookies.set(name.trim(), value);
  }
}

/** Fields as a browser would post them: hidden, text, ticked boxes and radios, first options; no buttons. */
function formFields(text: string): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [tag] of text.matchAll(/<input[^>]*>/g)) {
    const type = attribute(tag, 'type') ?? 'text';
    const name = attribute(tag, 'name');
    if (name === undefined || type === 'submit') continue;
    if ((type === 'checkbox' || type === 'radio') && !/\schecked/.test(tag)) continue;
    fields.append(name, attribute(tag, 'value') ?? (type === 'checkbox' ? 'on' : ''));
  }
  for (const [, start = '', options = ''] of text.matchAll(/(<select[^>]*>)([\s\S]*?)<\/select>/g)) {
    fields.append(attribute(start, 'name') ?? '', attribute(options, 'value') ?? '');
  }
  for (const [, start = '', value = ''] of text.matchAll(/(<textarea[^>]*>)\n?([\s\S]*?)<\/textarea>/g)) {
    fields.append(attribute(start, 'name') ?? '', decode(value).replaceAll('\n', '\r\n'));
  }
  return fields;
}

function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : decode(found);
}

/** The text that HTML stands for. */
export function decode(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
