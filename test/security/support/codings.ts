/** Kinds of bodies; valid ones more often. */
export const CODINGS = ['form', 'json', 'json', 'form', 'xml', 'multipart', 'gzip', 'utf-16', 'cut', 'garbage', 'chunked', 'none'];

/** An object's fields as a form or a query. */
export function flat(value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return [['value', String(value)]];
  return Object.entries(value).map(([name, one]) => [name, typeof one === 'string' ? one : (JSON.stringify(one) ?? '')]);
}

/** Unpaired surrogates are not allowed in an address; their replacement is. */
export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** A body in one of the encodings; most do not match their type. */
export function encoded(coding: string, body: unknown): { type: string | undefined; bytes: Buffer } {
  const json = JSON.stringify(body) ?? 'null';
  const form = flat(body)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
  switch (coding) {
    case 'form':
      return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(form) };
    case 'xml':
      return { type: 'application/xml', bytes: Buffer.from('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>') };
    case 'multipart':
      return {
        type: 'multipart/form-data; boundary=x',
        bytes: Buffer.from(`--x\r\nContent-Disposition: form-data; name="email"\r\n\r\na\r\n--x--`),
      };
    case 'gzip':
      return { type: 'application/json\r\nContent-Encoding: gzip', bytes: Buffer.from(json) };
    case 'utf-16':
      return { type: 'application/json; charset=utf-16le', bytes: Buffer.from(json, 'utf16le') };
    case 'cut':
      return { type: 'application/json', bytes: Buffer.from(json.slice(0, Math.ceil(json.length / 2))) };
    case 'garbage':
      return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from([0xff, 0xfe, 0x00, 0x25, 0x7a, 0x7a, 0x26, 0x3d]) };
    case 'none':
      return { type: undefined, bytes: Buffer.alloc(0) };
    default:
      return { type: 'application/json; charset=UTF-8', bytes: Buffer.from(json) };
  }
}
