import { fitting } from './fitting.ts';

/** A place in a provider's list. */
export interface PagePlace {
  /** Of the provider's page; undefined: the first. */
  token: string | undefined;
  /** Items of that page that earlier results have shown. */
  skip: number;
}

/** No provider's token begins so. */
const WITHIN_PAGE = /^!(\d{1,5}):(.*)$/s;

/** @param page `next` of an earlier result */
export function placeOf(page: string | undefined): PagePlace {
  const [, skip, token] = WITHIN_PAGE.exec(page ?? '') ?? [];
  return skip === undefined ? { token: page, skip: 0 } : { token: token || undefined, skip: Number(skip) };
}

/** `next` of a result that ends within the provider's page. */
export function nextWithin({ token = '' }: PagePlace, skip: number): string {
  return `!${skip}:${token}`;
}

/**
 * As many items of a provider's page as fit into a result.
 *
 * @param items all of the page
 * @param next the provider's token of the following page
 * @param bytes of the items' JSON
 */
export function pagePart<Item>(items: readonly Item[], place: PagePlace, next: string | undefined, bytes: number) {
  const left = items.slice(place.skip);
  const shown = fitting(left, bytes);
  return { items: shown, next: shown.length < left.length ? nextWithin(place, place.skip + shown.length) : next };
}

/** What a page needs beside its items: names, and a provider's token. */
export const PAGE_BYTES = 1_000;
