import { z } from 'zod';

/** A kind of file as named in its editor's URLs. */
type EditorKind = 'document' | 'spreadsheets' | 'presentation';

const ID = /^[\w-]{1,255}$/;
/** `/document/u/1/d/<id>/edit`, `/file/d/<id>/view`, `/drive/u/0/folders/<id>`, and the same below `/a/<domain>`. */
const IN_PATH = /^\/(?:a\/[^/]+\/)?(?:([a-z]+)\/(?:u\/\d+\/)?d|drive\/(?:u\/\d+\/)?(folders))\/([\w-]{1,255})(?:\/|$)/;

/**
 * Input: a file by its id, or by its web address, from which only the id is used.
 *
 * @param kind rejects addresses of other editors; undefined = files and folders of any kind
 */
export function fileReference(kind?: EditorKind) {
  return z
    .string()
    .trim()
    .max(2_000, 'must have at most 2000 characters')
    .transform((value, context) => {
      const id = ID.test(value) ? value : idInUrl(URL.parse(value), kind);
      if (id !== undefined) return id;
      context.addIssue({ code: 'custom', message: 'must be the id of a file or its web address' });
      return z.NEVER;
    });
}

function idInUrl(url: URL | null, kind: EditorKind | undefined): string | undefined {
  if (url?.protocol !== 'https:' || !url.hostname.endsWith('.google.com')) return undefined;
  const [, editor, folders, id = url.searchParams.get('id') ?? ''] = IN_PATH.exec(url.pathname) ?? [];
  // `…/file/d/<id>` and `…/open?id=<id>` name no kind. `/d/e/…` is a published copy, whose id is not a file's.
  const matches = kind === undefined || (folders ?? editor ?? kind) === kind || editor === 'file';
  return matches && id !== 'e' && ID.test(id) ? id : undefined;
}
