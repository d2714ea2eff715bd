import { randomUUID } from 'node:crypto';
import type { HttpRequest } from '../transport/http-exchange.ts';
import { loadTable, type MethodEntry } from './workspace-methods.ts';

/** Parameters of a method as in the provider's discovery document, with `requestBody` and `media` as in its SDK. */
export interface MethodParams {
  /** JSON. */
  requestBody?: object | undefined;
  media?: Media | undefined;
  /** The etag on condition of which a change is made: with another one the provider responds with 412 (RFC 9110, 13.1.1). */
  ifMatch?: string | undefined;
  [name: string]: unknown;
}

/** Content that is uploaded; empty content is not. */
interface Media {
  mimeType?: string;
  body: string | Uint8Array;
}

/** A method of the provider's APIs, which builds its requests as the provider's SDK does. */
export interface Method {
  verb: string;
  /**
   * @param apiUrl root of all APIs, without a slash at its end; undefined: the provider's own hosts
   * @param token access token
   * @throws Error when a parameter is missing, or can't be sent
   */
  request(params: MethodParams, apiUrl: string | undefined, token: string): HttpRequest;
}

/** A part of a path: text, or a parameter. */
type PathPart = string | { name: string; isReserved: boolean };

const UNRESERVED = /^[\w.~-]*$/;
const PARAMETER = /\{(\+?)(\w+)\}/;
const MEDIA_TYPE = /^[\x20-\x7e]+$/;
const JSON_TYPE = 'application/json';

const methods = new Map<string, Method>();

/** The method of a discovery id. @throws Error when there is none */
export function findMethod(id: string): Method | Promise<Method> {
  return methods.get(id) ?? loadMethod(id);
}

async function loadMethod(id: string): Promise<Method> {
  const table = await loadTable();
  const entry = Object.hasOwn(table.methods, id) ? table.methods[id] : undefined;
  const root = table.roots[id.slice(0, id.indexOf('.'))];
  if (entry === undefined || root === undefined) throw new Error(`the provider has no method ${id}`);
  const method = methodOf(entry, root);
  methods.set(id, method);
  return method;
}

function methodOf({ verb, path: template, upload, required }: MethodEntry, root: string): Method {
  const parts = partsOf(template);
  const uploadParts = upload === undefined ? undefined : partsOf(upload);
  const inPath = new Set(parts.flatMap((part) => (typeof part === 'string' ? [] : [part.name])));
  return {
    verb,
    request({ requestBody, media, ifMatch, ...params }, apiUrl, token) {
      const missing = required.find((name) => params[name] === undefined || params[name] === null);
      if (missing !== undefined) throw new Error(`missing ${missing}`);
      const { origin, folder } = splitAddress(apiUrl ?? root);
      const isUpload = uploadParts !== undefined && media !== undefined && media.body.length > 0;
      const content = isUpload ? uploadBody(requestBody, media) : jsonBody(requestBody);
      const query = queryOf(isUpload ? { ...params, uploadType: requestBody === undefined ? 'media' : 'multipart' } : params, inPath);
      const headers: Record<string, string> = { authorization: `Bearer ${token}` };
      if (ifMatch !== undefined) headers['if-match'] = ifMatch;
      if (content !== undefined) headers['content-type'] = content.type;
      const path = `${folder}${expand(isUpload ? uploadParts : parts, params)}${query === '' ? '' : `?${query}`}`;
      return { method: verb, origin, path, headers, body: content?.body };
    },
  };
}

function splitAddress(address: string): { origin: string; folder: string } {
  const slash = address.indexOf('/', address.indexOf('://') + 3);
  return slash === -1 ? { origin: address, folder: '' } : { origin: address.slice(0, slash), folder: address.slice(slash) };
}

function partsOf(path: string): PathPart[] {
  // Every third and the one before it are what the groups matched.
  return path.split(PARAMETER).flatMap((text, index, all): PathPart[] => {
    if (index % 3 === 0) return text === '' ? [] : [text];
    return index % 3 === 1 ? [] : [{ name: text, isReserved: all[index - 1] === '+' }];
  });
}

function expand(parts: readonly PathPart[], params: MethodParams): string {
  let path = '';
  for (const part of parts) path += typeof part === 'string' ? part : segment(params[part.name], part.isReserved);
  return path;
}

/** A value in a path (RFC 6570, 3.2.2 and 3.2.3). One that would change which method is called is rejected. */
function segment(value: unknown, isReserved: boolean): string {
  const text = textOf(value);
  const segments = isReserved ? text.split('/') : [text];
  if (text === '' || segments.some((one) => one === '.' || one === '..')) throw new Error('a parameter changes the path');
  return segments.map(encoded).join('/');
}

function queryOf(params: MethodParams, inPath: ReadonlySet<string>): string {
  let query = '';
  for (const name in params) {
    const value = params[name];
    if (value === undefined || value === null || inPath.has(name)) continue;
    const key = encoded(name);
    for (const one of Array.isArray(value) ? value : [value]) query += `${query === '' ? '' : '&'}${key}=${encoded(textOf(one))}`;
  }
  return query;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error('a parameter is not a text');
}

/** Percent-encoded, except unreserved characters (RFC 3986, 2.3). @throws URIError for a lone surrogate */
function encoded(text: string): string {
  if (UNRESERVED.test(text)) return text;
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

interface Content {
  type: string;
  body: string | Uint8Array;
}

function jsonBody(requestBody: object | undefined): Content | undefined {
  return requestBody && { type: JSON_TYPE, body: JSON.stringify(requestBody) };
}

function uploadBody(requestBody: object | undefined, media: Media): Content {
  return requestBody === undefined ? { type: mediaType(media.mimeType, media.body), body: media.body } : multipartBody(requestBody, media);
}

/** RFC 2387. */
function multipartBody(requestBody: object, { mimeType, body }: Media): Content {
  const boundary = randomUUID();
  const own = (requestBody as { mimeType?: unknown }).mimeType;
  const type = mediaType(mimeType ?? (typeof own === 'string' ? own : undefined), body);
  const head = `--${boundary}\r\ncontent-type: ${JSON_TYPE}\r\n\r\n${JSON.stringify(requestBody)}\r\n`;
  const before = `--${boundary}\r\ncontent-type: ${type}\r\n\r\n`;
  const content = typeof body === 'string' ? Buffer.from(body) : body;
  return {
    type: `multipart/related; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(head + before), content, Buffer.from(`\r\n--${boundary}--`)]),
  };
}

function mediaType(given: string | undefined, body: string | Uint8Array): string {
  const type = given || (typeof body === 'string' ? 'text/plain' : 'application/octet-stream');
  if (!MEDIA_TYPE.test(type)) throw new Error('a media type with other characters');
  return type;
}
