import { z } from 'zod';
import { AppError } from '../../errors.ts';

/** A position in an item's changes; '' = the beginning. A loop is the pages up to one without `has_more`. */
export interface SyncPosition {
  /** Cursor at the start of the current loop; equal to `cursor` between loops. */
  start: string;
  cursor: string;
}

export const BEGINNING: SyncPosition = { start: '', cursor: '' };

/** A position as callers get it. */
export interface GivenPosition {
  position: SyncPosition;
  /** It was reached from the stored position: who sends it back has received the changes before it. */
  isShared: boolean;
}

/** Marks a shared one; not in the aggregator's cursors, which are base64. */
const SHARED = '!';
/** Marks one within a loop. */
const IN_LOOP = '~';

const bothCursors = z.tuple([z.string().max(1_000), z.string().max(1_000)]);

/** Between loops the aggregator's cursor; within a loop both cursors, so that the loop can be restarted. */
export function encodePosition({ position: { start, cursor }, isShared }: GivenPosition): string {
  const encoded = start === cursor ? cursor : IN_LOOP + Buffer.from(JSON.stringify([start, cursor])).toString('base64url');
  return isShared ? SHARED + encoded : encoded;
}

/** @throws AppError `invalid_request` */
export function decodePosition(given: string): GivenPosition {
  const isShared = given.startsWith(SHARED);
  const encoded = isShared ? given.slice(SHARED.length) : given;
  if (!encoded.startsWith(IN_LOOP)) return { position: { start: encoded, cursor: encoded }, isShared };
  const parsed = bothCursors.safeParse(parse(Buffer.from(encoded.slice(IN_LOOP.length), 'base64url').toString()));
  if (!parsed.success) throw new AppError('invalid_request', 'cursor: must be the `cursor` of an earlier result');
  const [start, cursor] = parsed.data;
  return { position: { start, cursor }, isShared };
}

export function isSamePosition(one: SyncPosition | undefined, other: SyncPosition | undefined): boolean {
  return one?.start === other?.start && one?.cursor === other?.cursor;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
