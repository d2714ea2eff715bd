import { shortened } from '../../validation/cut-text.ts';

/** `own`: the user's text, which no one else can edit; `others`: anyone's, so it must not be obeyed. */
export type Integrity = 'own' | 'others';

/** Where a part of a result comes from. Names and authors are others' text, too. */
export interface Source {
  /** Id at the provider. */
  item: string;
  integrity: Integrity;
  /** How people know it: a subject, a title. */
  name?: string;
  /** As the provider gives it: a sender, an organizer, an owner. */
  author?: string | undefined;
  /** ISO 8601. */
  time?: string | undefined;
  /** Fields of the item that `author` or others wrote. */
  fields?: readonly string[];
}

/** What was read in the caller's context before a call, within the last hour; in a thread as long as it exists. */
export interface Taint {
  /** Text of others. */
  isTainted: boolean;
  /** Data of a bank. */
  isFinancial: boolean;
}

/** How far a result may be trusted, and how widely it may be shown; set from the provider's facts, never from text. */
export interface Labels {
  integrity: Integrity;
  confidentiality: 'private' | 'financial';
  sources: readonly Source[];
  /** Number of sources that are left out. */
  more?: number;
}

const MAX_SOURCES = 50;
const MAX_NAME = 300;

export const UNTAINTED: Taint = { isTainted: false, isFinancial: false };

export function isLabelled({ isTainted, isFinancial }: Taint): boolean {
  return isTainted || isFinancial;
}

/** The labels of all of these together. */
export function taintOf(...taints: readonly Taint[]): Taint {
  return { isTainted: taints.some(({ isTainted }) => isTainted), isFinancial: taints.some(({ isFinancial }) => isFinancial) };
}

/** The name under which it is remembered that something was put into a folder, a series or a thread. */
export function within(id: string): string {
  return `in ${id}`;
}

/** A name that stands for any part of a series or a folder: what was written in another part isn't meant. */
export function partOf(id: string): string {
  return `${id}_`;
}

/**
 * The labels of a result. What has no label counts as others'.
 *
 * @param integrity of the action's results as a whole; `own` if they contain nothing that others wrote
 * @param sources undefined: the action doesn't tell
 * @param isFinancial it contains data of a bank
 */
export function labelsOf(integrity: Integrity | undefined, sources: readonly Source[] | undefined, isFinancial: boolean): Labels {
  const isOwn = integrity === 'own' || sources?.every((source) => source.integrity === 'own') === true;
  const shown = (sources ?? []).slice(0, MAX_SOURCES).map(shortNamed);
  const more = (sources?.length ?? 0) - shown.length;
  return {
    integrity: isOwn ? 'own' : 'others',
    confidentiality: isFinancial ? 'financial' : 'private',
    sources: shown,
    ...(more > 0 && { more }),
  };
}

/** Labels stand beside a result, whose size alone is limited. */
function shortNamed({ name, author, ...source }: Source): Source {
  return {
    ...source,
    ...(name !== undefined && { name: shortened(name, MAX_NAME) }),
    ...(author !== undefined && { author: shortened(author, MAX_NAME) }),
  };
}
