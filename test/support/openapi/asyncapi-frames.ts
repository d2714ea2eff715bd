import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';

type Frame = Record<string, any>;

/** An AsyncAPI document as a service serves it. */
export interface AsyncApi {
  operations: Record<string, { messages: { $ref: string }[]; reply?: { messages: { $ref: string }[] } }>;
  components: { messages: Record<string, { payload: { $ref: string } }>; schemas: Record<string, object> };
  [part: string]: unknown;
}

export function newAjv(): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: true });
  formats.default(ajv);
  return ajv;
}

/** Judges frames by the service's own AsyncAPI document, and remembers which messages it has seen. */
export class DocumentedFrames {
  readonly seen = new Set<string>();
  readonly #document: AsyncApi;
  readonly #ajv = newAjv();
  readonly #types = new Map<string, string>();

  constructor(document: AsyncApi) {
    this.#document = document;
    this.#ajv.addSchema(document as object, 'sent');
    this.#ajv.addSchema(closed(document) as object, 'received');
  }

  /** The validator of a schema. */
  schema(name: string, side: 'sent' | 'received' = 'received'): ValidateFunction {
    const validate = this.#ajv.getSchema(`${side}#/components/schemas/${name}`);
    if (validate === undefined) throw new Error(`there is no schema ${name}`);
    return validate;
  }

  /** What is wrong with a frame that a client sends. */
  sent(frame: Frame): string[] {
    this.#types.set(frame.requestId, frame.type);
    return this.#problems(frame.type, frame, 'sent');
  }

  /** What is wrong with a frame of the service's: as such, and as a response to its request. */
  received(frame: Frame): string[] {
    const type = this.#types.get(frame.requestId);
    const name = frame.type === 'result' ? `${type}_result` : frame.type;
    const operation = this.#document.operations[frame.type === 'event' || type === undefined ? 'event' : type];
    const documented = [...(operation?.messages ?? []), ...(operation?.reply?.messages ?? [])];
    const isDocumented = documented.some(({ $ref }) => $ref.endsWith(`/${name}`)) || (type === undefined && name === 'error');
    return [...(isDocumented ? [] : [`${name} is no reply to ${type}`]), ...this.#problems(name, frame, 'received')];
  }

  #problems(name: string, frame: Frame, side: 'sent' | 'received'): string[] {
    this.seen.add(name);
    const reference = this.#document.components.messages[name]?.payload.$ref;
    if (reference === undefined) return [`there is no message ${name}`];
    const validate = this.schema(reference.slice('#/components/schemas/'.length), side);
    if (validate(frame)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${name}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}

/** Clients ignore unknown fields, so the service's frames may have them; here, one that is not documented is a defect. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return inner.type === 'object' && 'properties' in inner && !('additionalProperties' in inner)
    ? { ...inner, additionalProperties: false }
    : inner;
}
