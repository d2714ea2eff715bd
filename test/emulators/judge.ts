import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { type Mask, parseMask } from '../../sandbox/google/partial-response.ts';
import type { Exchange } from '../support/emulators/recorded-sandbox.ts';
import type { ApiDocument, DocumentedMethod, Schema } from './documents.ts';

/** Holds exchanges against a provider's document. */
export class Judge {
  readonly #document: ApiDocument;
  /** Schema of a response of an error; undefined: the document has none. */
  readonly #error: Schema | undefined;
  readonly #ajv = new Ajv({ strict: false, allErrors: true, verbose: true });
  readonly #validators = new Map<Schema, ValidateFunction>();

  constructor(document: ApiDocument, error?: Schema) {
    this.#document = document;
    this.#error = error;
  }

  methodOf({ verb, url }: Pick<Exchange, 'verb' | 'url'>): DocumentedMethod | undefined {
    return this.#document.find(verb, new URL(url, 'http://sandbox.invalid').pathname.replace(/^\/+/, '/'));
  }

  /** Whatever the document does not know of a request and its response, each as one line without ids and positions in lists. */
  problemsOf(exchange: Exchange): string[] {
    const { verb, url, status, response } = exchange;
    const method = this.methodOf(exchange);
    if (method === undefined) return [`${verb} ${url.split('?', 1)[0]}: no such method`];
    const isError = status >= 400;
    const problems = [
      // What was refused may be wrong.
      ...(isError ? [] : this.#requestProblems(method, exchange)),
      ...(isError
        ? this.#problems('error', this.#error, response)
        : this.#problems('response', isContent(url) ? undefined : method.response, response)),
    ];
    return problems.map((problem) => `${method.id}: ${problem}`);
  }

  #requestProblems({ query, body, response }: DocumentedMethod, { verb, url, body: given }: Exchange): string[] {
    const { searchParams } = new URL(url, 'http://sandbox.invalid');
    const fields = searchParams.get('fields');
    return [
      ...this.#problems('query', query, query && valuesOf(searchParams, query)),
      ...(given === undefined ? [] : this.#problems('body', body ?? NOTHING, verb === 'PATCH' ? withoutNulls(given) : given)),
      ...(fields === null ? [] : this.#maskProblems(parseMask(fields), response ?? NOTHING, '')),
    ];
  }

  #problems(what: string, schema: Schema | undefined, value: unknown): string[] {
    if (schema === undefined) return [];
    const validate = this.#validators.get(schema) ?? this.#ajv.compile({ ...schema, $defs: this.#document.$defs });
    this.#validators.set(schema, validate);
    return validate(value) ? [] : [...new Set((validate.errors ?? []).filter(isCause).map((error) => `${what} ${lineOf(error)}`))];
  }

  #maskProblems(mask: Mask, schema: Schema, at: string): string[] {
    const one = this.resolved(schema);
    const { properties = {}, additionalProperties } = (one.type === 'array' ? this.resolved(one.items as Schema) : one) as {
      properties?: Record<string, Schema>;
      additionalProperties?: Schema;
    };
    return Object.entries(mask).flatMap(([name, inner]) => {
      if (name === '*') return [];
      const field = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      if (!field) return [`fields ${at}/${name} is not known`];
      return inner === null ? [] : this.#maskProblems(inner, field, `${at}/${name}`);
    });
  }

  /** What a schema refers to; of a choice, what isn't null. */
  readonly resolved = (schema: Schema): Schema => {
    if (typeof schema.$ref === 'string') return this.resolved(this.#document.$defs[schema.$ref.replace('#/$defs/', '')] ?? {});
    const choices = (schema.anyOf as Schema[] | undefined)?.filter(({ type }) => type !== 'null');
    return choices?.length === 1 ? this.resolved(choices[0] as Schema) : schema;
  };
}

const NOTHING: Schema = { type: 'object', additionalProperties: false };

/** Whether a file's content is asked for, which may be JSON. */
function isContent(url: string): boolean {
  return /[?&]alt=media(?:&|$)/.test(url);
}

/** In a patch, null removes a field. */
function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_name, inner) => inner ?? undefined);
}

/** The parameters as a value: a list where there may be several, or are. */
function valuesOf(query: URLSearchParams, { properties }: Schema): object {
  const known = properties as Record<string, Schema>;
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, known[name]?.type === 'array' || values.length > 1 ? values : values[0]];
    }),
  );
}

/** Of a choice between null and something, only what is wrong with that. */
function isCause({ keyword, message, data }: ErrorObject): boolean {
  return keyword !== 'anyOf' && !(message === 'must be null' && data !== null);
}

function lineOf({ instancePath, message, params, data }: ErrorObject): string {
  const { additionalProperty, allowedValues } = params as { additionalProperty?: string; allowedValues?: unknown[] };
  const at = instancePath.replaceAll(/\/\d+(?=\/|$)/g, '[]');
  if (additionalProperty !== undefined) return `${at}/${additionalProperty} is not known`;
  return `${at} ${allowedValues === undefined ? message : `is ${JSON.stringify(data)}, which is not a known value`}`;
}
