import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import type { HttpResponse } from '../users/request.ts';

type Json = Record<string, any>;

/** Below an error, or among the names that a page unfolds. */
const HTML_CODE = /(?:Code |<details class="exact"><summary>[^<]*<\/summary>\n<p>)<code>(\w+)<\/code>/;

/** An OpenAPI document, against which real responses are checked. */
export class DocumentedResponses {
  readonly document: Json;
  readonly #ajv: Ajv2020;

  constructor(document: Json) {
    this.document = document;
    // OpenAPI's keywords around the schemas are not JSON Schema's.
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    (addFormats as unknown as (ajv: Ajv2020) => void)(this.#ajv);
    this.#ajv.addSchema(document, 'document');
  }

  /** `GET /path` of every operation. */
  get endpoints(): string[] {
    return this.#operations().map(({ endpoint }) => endpoint);
  }

  /** Every documented response, as {@link check} names it. */
  get responses(): string[] {
    return this.#operations().flatMap(({ endpoint, operation }) =>
      Object.entries<Json>(operation.responses).flatMap(([status, { content }]) => {
        if (content === undefined) return [`${endpoint} ${status}`];
        const codes: string[] = content['application/json']?.schema.allOf?.[1].properties.code.enum ?? [''];
        return Object.keys(content).flatMap((type) => codes.map((code) => name(endpoint, status, code, type)));
      }),
    );
  }

  /**
   * Checks a response of `endpoint` (as in {@link endpoints}) against what is documented: status, headers, media type, body.
   *
   * @returns its name among {@link responses}
   */
  check(endpoint: string, response: HttpResponse): string {
    const [method = '', path = ''] = endpoint.split(' ');
    const documented = this.document.paths[path]?.[method.toLowerCase()]?.responses[response.status];
    expect(documented, `${endpoint} ${response.status} is not documented: ${response.text.slice(0, 300)}`).toBeDefined();
    for (const header of Object.keys(documented.headers))
      expect(response.headers.get(header), `${endpoint} ${response.status}: ${header}`).not.toBeNull();
    if (documented.content === undefined) {
      expect(response.text).toBe('');
      return `${endpoint} ${response.status}`;
    }
    const type = response.headers.get('content-type')?.split(';', 1)[0] ?? '';
    expect(Object.keys(documented.content), `${endpoint} ${response.status}`).toContain(type);
    if (type === 'application/json') this.#validate([path, method.toLowerCase(), 'responses', String(response.status)], response.body);
    const code = response.status < 400 ? '' : (response.body?.code ?? codeOf(response));
    return name(endpoint, String(response.status), code, type);
  }

  #validate(steps: string[], body: unknown): void {
    const pointer = ['paths', ...steps, 'content', 'application/json', 'schema']
      .map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))
      .join('/');
    const validate = this.#ajv.compile({ $ref: `document#/${encodeURI(pointer)}` });
    expect(validate(body) ? [] : validate.errors, JSON.stringify(body)).toEqual([]);
  }

  #operations(): { endpoint: string; operation: Json }[] {
    return Object.entries<Json>(this.document.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, operation]) => ({ endpoint: `${method.toUpperCase()} ${path}`, operation })),
    );
  }
}

/** The code that a page names; one of a page that is not found has only one meaning, and it names none. */
function codeOf({ status, text }: HttpResponse): string {
  return HTML_CODE.exec(text)?.[1] ?? (status === 404 ? 'not_found' : 'no code');
}

function name(endpoint: string, status: string, code: string, type: string): string {
  return [endpoint, status, code, type === 'text/html' ? 'html' : ''].filter((part) => part !== '').join(' ');
}
