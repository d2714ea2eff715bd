import { integer } from './drive-listing.ts';
import type { StoredComment, StoredFile } from './drive-state.ts';

/** The complete response of comments.list; the caller applies `fields`. */
export function commentList({ comments = [] }: StoredFile, query: URLSearchParams): object {
  const size = integer(query.get('pageSize') ?? '20', 1, 100);
  const start = integer(query.get('pageToken') ?? '0', 0, comments.length);
  const next = start + size < comments.length ? { nextPageToken: String(start + size) } : {};
  return { kind: 'drive#commentList', ...next, comments: comments.slice(start, start + size).map(commentResource) };
}

function commentResource({ id, author, content, at, resolved }: StoredComment): object {
  return {
    ...{ kind: 'drive#comment', id, createdTime: at, modifiedTime: at },
    author: { kind: 'drive#user', displayName: author, me: false },
    ...{ htmlContent: content, content, deleted: false, ...(resolved && { resolved }), replies: [] },
  };
}
