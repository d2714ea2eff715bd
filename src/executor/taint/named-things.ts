import type { Shown } from '../../actions/shared/shown.ts';
import { cutText } from '../../validation/cut-text.ts';
import { distinctBy } from '../../validation/distinct-by.ts';
import { type ReadSource, readSource, type SourceWithHashes } from './context-reads.ts';
import { type Match, THING } from './matches.ts';
import { holdsWords, isUnspaced, wordHashes, wordsOf } from './word-hashes.ts';

/** Letters of a name of several words, or of one: shorter ones stand in many texts by chance. */
const LEAST_LETTERS = { several: 8, one: 10 };
const UNSPACED_LETTERS = 3;
/** The name of another thing that only has this one in it, such as “Plan (copy)”, has fewer further words than a sentence. */
const FURTHER_WORDS = 2;
/** In front of the subject of what answers or forwards. */
const ANSWERING = /^(?:\s*(?:re|aw|sv|antw|fwd?|wg|tr|rv)\s*:)+/i;
/** Arguments that name what a call changes, or shows to others. */
const THINGS = ['id', 'ids', 'threads', 'files', 'attachment'];
const MAX_NAME = 300;
const MAX_MATCHES = 10;

/**
 * What a call is about, where a text of others that was read before names it: that may have asked for the call, whose arguments are
 * only ids. The text of the thing itself doesn't count.
 *
 * @param about ids of what the call is about
 */
export function namedThings(shown: Shown | undefined, about: ReadonlySet<string>, sources: readonly SourceWithHashes[]): Match[] {
  const others = sources.filter(({ item }) => item === undefined || !about.has(item));
  const found = thingsIn(shown).flatMap((name): Match[] => {
    const words = [...wordsOf(name.replace(ANSWERING, ''))];
    const source = isDistinctive(words) ? others.find((one) => names(one, words)) : undefined;
    return source === undefined ? [] : [{ ...readSource(source), field: THING, text: name, from: 0, to: name.length }];
  });
  return distinctBy(found, ({ text }) => text).slice(0, MAX_MATCHES);
}

function thingsIn({ items = {}, event }: Shown = {}): string[] {
  const named = THINGS.flatMap((argument) => items[argument] ?? []).map(({ name }) => name);
  return [...named, ...(event === undefined ? [] : [event.title])].map((name) => cutText(name, MAX_NAME));
}

function isDistinctive(words: readonly string[]): boolean {
  const letters = words.reduce((sum, word) => sum + (isUnspaced(word) ? UNSPACED_LETTERS : word.length), 0);
  return letters >= (words.length === 1 ? LEAST_LETTERS.one : LEAST_LETTERS.several);
}

/** In its text, or in its name where that is a sentence. */
function names({ words, name = '' }: Pick<SourceWithHashes, 'words'> & Pick<ReadSource, 'name'>, wanted: readonly string[]): boolean {
  if (holdsWords(words, wanted)) return true;
  const own = [...wordsOf(name.replace(ANSWERING, ''))];
  return own.length >= wanted.length + FURTHER_WORDS && holdsWords(wordHashes([name], own.length * 2), wanted);
}
