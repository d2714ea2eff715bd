import { invalid } from '../api-fault.ts';

/** Uploaded content. */
export interface Upload {
  bytes: Buffer;
  mimeType: string;
}

/**
 * Reads the body of an upload: content alone (`media`), or metadata and content (`multipart`, RFC 2387).
 *
 * @returns the metadata of `media`: undefined
 * @throws ApiFault 400
 */
export function readUpload(bytes: Buffer, contentType: string, uploadType: string | null): { metadata: unknown; upload: Upload } {
  if (uploadType === 'media') return { metadata: undefined, upload: { bytes, mimeType: bareType(contentType) } };
  if (uploadType !== 'multipart') throw invalid('Invalid upload type.');
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  if (boundary === undefined) throw invalid('Missing multipart boundary.');
  const [first, second, ...more] = partsOf(bytes, boundary);
  if (first === undefined || second === undefined || more.length > 0) throw invalid('Multipart must have two parts.');
  return { metadata: parsed(first.bytes), upload: { bytes: second.bytes, mimeType: bareType(second.contentType) } };
}

function partsOf(bytes: Buffer, boundary: string): { bytes: Buffer; contentType: string }[] {
  const mark = Buffer.from(`--${boundary}`);
  const parts: { bytes: Buffer; contentType: string }[] = [];
  let at = bytes.indexOf(mark);
  while (at >= 0 && bytes.toString('latin1', at + mark.length, at + mark.length + 2) !== '--') {
    const start = at + mark.length + 2;
    at = bytes.indexOf(mark, start);
    const head = bytes.indexOf('\r\n\r\n', start);
    if (at < 0 || head < 0 || head > at) throw invalid('Malformed multipart body.');
    const contentType = /^content-type:\s*(.+)$/im.exec(bytes.toString('latin1', start, head))?.[1] ?? '';
    // The line break before the boundary is part of it.
    parts.push({ bytes: bytes.subarray(head + 4, at - 2), contentType });
  }
  return parts;
}

function bareType(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() || 'application/octet-stream';
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw invalid('Metadata part is no JSON.');
  }
}
