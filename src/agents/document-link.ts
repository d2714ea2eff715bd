import { z } from 'zod';

const ID = /^[\w-]{1,255}$/;

/**
 * Input: a document by its id, or by the address that a browser shows for it.
 *
 * @param kind as it stands in such addresses
 */
export function documentReference(kind: 'document' | 'spreadsheets' | 'presentation') {
  return z
    .string()
    .max(2_000)
    .transform((value, context) => {
      const id = URL.canParse(value) ? idInLink(new URL(value), kind) : value;
      if (id !== undefined && ID.test(id)) return id;
      context.addIssue({ code: 'custom', message: 'must be the file’s id or its address' });
      return z.NEVER;
    })
    .describe('Id of the file, or its address in the browser.');
}

/** `https://docs.google.com/<kind>/u/1/d/<id>/edit`, or the drive's own `…/file/d/<id>/view` and `…/open?id=<id>`. */
function idInLink(url: URL, kind: string): string | undefined {
  if (url.protocol !== 'https:') return undefined;
  if (url.hostname === 'drive.google.com' && url.pathname === '/open') return url.searchParams.get('id') ?? undefined;
  const path = /^\/(?:a\/[^/]+\/)?([a-z]+)\/(?:u\/\d+\/)?d\/([\w-]+)(?:\/|$)/.exec(url.pathname);
  const expected = url.hostname === 'docs.google.com' ? kind : url.hostname === 'drive.google.com' ? 'file' : undefined;
  // `/d/e/…` is a published copy, whose id is no file's.
  return path !== null && path[1] === expected && path[2] !== 'e' ? path[2] : undefined;
}
