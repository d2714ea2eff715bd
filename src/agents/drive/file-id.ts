import { z } from 'zod';

const ID = /^[\w-]{1,255}$/;
/** `/document/d/<id>/edit`, `/file/d/<id>/view`, `/drive/u/0/folders/<id>`; `/d/e/…` is a published page and names no file. */
const IN_PATH = /\/(?:d|folders)\/(?!e\/)([\w-]{1,255})(?:\/|$)/;

/** A file's id, or the address it opens at, of which only the id is taken. */
export const fileId = z
  .string()
  .trim()
  .max(2_000, 'must have at most 2000 characters')
  .transform((value, context) => {
    const id = ID.test(value) ? value : idInAddress(value);
    if (id !== undefined) return id;
    context.addIssue({ code: 'custom', message: 'must be the id of a file or its web address' });
    return z.NEVER;
  });

function idInAddress(value: string): string | undefined {
  const url = URL.parse(value);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return undefined;
  const id = IN_PATH.exec(url.pathname)?.[1] ?? url.searchParams.get('id') ?? '';
  return ID.test(id) ? id : undefined;
}
