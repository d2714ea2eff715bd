import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { type Mask, parseMask } from '../../sandbox/google/partial-response.ts';
import type { Exchange } from '../support/emulators/recorded-sandbox.ts';
import type { ApiDocument, DocumentedMethod, Schema } from './documents.ts';

/** Where a value is from. */
type Place = 'query' | 'body' | 'response' | 'error';

/** Formats of the documents that JSON Schema does not have, or knows as numbers. */
const FORMATS: Record<string, RegExp | ((text: string) => boolean)> = {
  int64: isBetween(-(2n ** 63n), 2n ** 63n - 1n),
  uint64: isBetween(0n, 2n ** 64n - 1n),
  byte: (text) =>
    Buffer.from(text, 'base64url').toString('base64url') === text.replaceAll('+', '-').replaceAll('/', '_').replace(/=*$/, ''),
  url: URL.canParse,
};

/** Holds exchanges against a provider's document. */
export class Judge {
  readonly #document: ApiDocument;
  readonly #ajv = formats.default(new Ajv({ strict: false, allErrors: true, verbose: true, passContext: true }));
  readonly #validators = new Map<Schema, ValidateFunction>();

  constructor(document: ApiDocument) {
    this.#document = document;
    const ajv = this.#ajv;
    for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format);
    ajv.addFormat('uint32', { type: 'number', validate: (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32 });
    const time = (text: string) => ajv.validate({ format: 'date-time' }, text);
    ajv.addFormat('google-datetime', time);
    ajv.addFormat('date-time-or-local', (text) => time(text) || time(`${text}Z`));
    // A mask in a body names fields of the object that is updated.
    ajv.addKeyword({
      keyword: 'maskOf',
      type: 'string',
      validate: ($ref: string, mask: string) => mask !== '' && this.#maskProblems(parseMask(mask), { $ref }, '').length === 0,
    });
    // What is said, but nobody may write.
    ajv.addKeyword({
      keyword: 'outputOnly',
      type: 'object',
      validate(this: { what: Place }, names: string[], object: object) {
        return this.what !== 'body' || names.every((name) => !Object.hasOwn(object, name));
      },
    });
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
      ...(isError ? this.#problems('error', method.errorOf(status), response) : this.#responseProblems(method, exchange)),
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

  #responseProblems({ response: described }: DocumentedMethod, { url, response }: Exchange): string[] {
    if (isContent(url)) return [];
    const fields = new URL(url, 'http://sandbox.invalid').searchParams.get('fields');
    const unasked = fields === null ? [] : unaskedIn(response, parseMask(fields), '');
    return [...this.#problems('response', described, response), ...unasked.map((at) => `response ${at} was not asked for`)];
  }

  #problems(what: Place, schema: Schema | undefined, value: unknown): string[] {
    if (schema === undefined) return [];
    const validate = this.#validators.get(schema) ?? this.#ajv.compile({ ...schema, $defs: this.#document.$defs });
    this.#validators.set(schema, validate);
    return validate.call({ what }, value)
      ? []
      : [...new Set((validate.errors ?? []).filter(isCause).map((error) => `${what} ${lineOf(error)}`))];
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
    const { $ref, ...own } = schema;
    if (typeof $ref === 'string') return { ...this.resolved(this.#document.$defs[$ref.replace('#/$defs/', '')] ?? {}), ...own };
    const { anyOf, ...limits } = schema;
    const choices = (anyOf as Schema[] | undefined)?.filter(({ type }) => type !== 'null');
    return choices?.length === 1 ? { ...this.resolved(choices[0] as Schema), ...limits } : schema;
  };
}

/** The members of a response that its mask does not select. */
function unaskedIn(value: unknown, mask: Mask, at: string): string[] {
  if (Object.hasOwn(mask, '*') || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => unaskedIn(item, mask, `${at}[]`)))];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (!Object.hasOwn(mask, name)) return [`${at}/${name}`];
    const below = mask[name];
    return below ? unaskedIn(inner, below, `${at}/${name}`) : [];
  });
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

function isBetween(least: bigint, most: bigint): (text: string) => boolean {
  return (text) => /^-?\d+$/.test(text) && BigInt(text) >= least && BigInt(text) <= most;
}

/** The parameters as a value: a list where there may be several, or are; numbers where they are. */
function valuesOf(query: URLSearchParams, { properties }: Schema): object {
  const known = properties as Record<string, Schema>;
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const isNumber = known[name]?.type === 'number';
      const values = query.getAll(name).map((text) => (isNumber && /^-?\d+$/.test(text) ? Number(text) : text));
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
