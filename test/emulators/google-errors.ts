import type { Schema } from './documents.ts';

/** Canonical codes by HTTP status (googleapis: google/rpc/code.proto). */
const CODES: Readonly<Record<number, readonly string[]>> = {
  400: ['INVALID_ARGUMENT', 'FAILED_PRECONDITION', 'OUT_OF_RANGE'],
  401: ['UNAUTHENTICATED'],
  403: ['PERMISSION_DENIED'],
  404: ['NOT_FOUND'],
  409: ['ABORTED', 'ALREADY_EXISTS'],
  429: ['RESOURCE_EXHAUSTED'],
  500: ['INTERNAL', 'UNKNOWN', 'DATA_LOSS'],
  501: ['UNIMPLEMENTED'],
  503: ['UNAVAILABLE'],
  504: ['DEADLINE_EXCEEDED'],
};
const NEWER = new Set(['docs', 'sheets', 'slides']);
const TEXT = { type: 'string', minLength: 1 };
/** developers.google.com/workspace/{gmail,calendar,drive}: “Resolve errors”. */
const REASON = object(
  {
    domain: { enum: ['global', 'usageLimits', 'calendar'] },
    reason: { type: 'string', pattern: '^[a-zA-Z]+$' },
    message: TEXT,
    locationType: TEXT,
    location: TEXT,
  },
  ['locationType', 'location'],
);
/** google.aip.dev/193: ErrorInfo. */
const ERROR_INFO = object({ '@type': { const: 'type.googleapis.com/google.rpc.ErrorInfo' }, reason: TEXT, domain: TEXT }, ['metadata']);

const schemas = new Map<string, Schema>();

/**
 * An error of an API, which no discovery document describes: with reasons in Gmail, Calendar and Drive, with a canonical code in Docs,
 * Sheets and Slides (AIP-193).
 */
export function googleErrorOf(api: string, status: number): Schema {
  const form = NEWER.has(api) ? 'newer' : 'older';
  const key = `${form} ${status}`;
  const schema = schemas.get(key) ?? object({ error: form === 'newer' ? newer(status) : older(status) });
  schemas.set(key, schema);
  return schema;
}

function newer(status: number): Schema {
  const details = { type: 'array', items: ERROR_INFO, minItems: 1 };
  return object({ code: { const: status }, message: TEXT, status: { enum: CODES[status] ?? ['UNKNOWN'] }, details }, ['details']);
}

function older(status: number): Schema {
  const errors = { type: 'array', items: REASON, minItems: 1 };
  return object({ code: { const: status }, message: TEXT, errors, status: { enum: CODES[status] ?? [] } }, ['status']);
}

/** @param optional members that may be missing */
function object(properties: Record<string, Schema>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}
