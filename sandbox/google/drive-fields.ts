import { parseMask, part } from './partial-response.ts';

/**
 * The part of a file that `fields` selects, a valid mask; by default a few.
 */
export function filePart(file: object, fields: string | null): object {
  return part(file, parseMask(fields ?? 'kind,id,name,mimeType')) as object;
}

/** As {@link filePart}, for a list of files. */
export function listPart(list: { files: object[] }, fields: string | null): object {
  return part(list, parseMask(fields ?? 'kind,incompleteSearch,nextPageToken,files(kind,id,name,mimeType)')) as object;
}

/** As {@link listPart}, for a list of changes. */
export function changePart(list: { changes: object[] }, fields: string | null): object {
  const change = 'kind,type,changeType,time,removed,fileId,file(kind,id,name,mimeType)';
  return part(list, parseMask(fields ?? `kind,nextPageToken,newStartPageToken,changes(${change})`)) as object;
}
