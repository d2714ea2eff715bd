/** Written without spaces between words: each character is one. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Such a character, or letters, marks and digits that follow on each other. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])[\p{L}\p{M}\p{N}])+/gu;

/** Of a longer one, only the beginning counts. */
const LONGEST = 64;
/** Bytes of a word, and their characters in base64. */
const BYTES = 3;
const LENGTH = 4;
/** Between texts; no word has this hash. */
const NONE = 0;
const FNV = { offset: 0x811c9dc5, prime: 0x01000193 };

/** Letters and digits that follow on each other. Case and the forms of a character (NFKC) make no difference. */
export function* wordsOf(text: string): Generator<string> {
  for (const [word] of text.matchAll(WORD)) yield word.slice(0, LONGEST).normalize('NFKC').toLowerCase();
}

/** Whether a word is one character of a script without spaces, which says as much as several letters. */
export function isUnspaced(word: string): boolean {
  return UNSPACED.test(word);
}

/** The words of texts as hashes, in their order, by which a name is found in them: see {@link holdsWords}. @param most words */
export function wordHashes(texts: Iterable<string>, most: number): string {
  const hashes: number[] = [];
  for (const text of texts) {
    for (const word of wordsOf(text)) {
      if (hashes.length >= most) return encoded(hashes);
      hashes.push(hashOf(word));
    }
    hashes.push(NONE);
  }
  return encoded(hashes);
}

/** Whether these words follow on each other in one of the texts. */
export function holdsWords(hashes: string, words: readonly string[]): boolean {
  const wanted = encoded(words.map(hashOf));
  for (let at = hashes.indexOf(wanted); at !== -1; at = hashes.indexOf(wanted, at + 1)) {
    if (at % LENGTH === 0) return true;
  }
  return false;
}

/** FNV-1a, folded: what is stored is encrypted, so it only has to be quick. */
function hashOf(word: string): number {
  let hash = FNV.offset;
  for (let index = 0; index < word.length; index += 1) hash = Math.imul(hash ^ word.charCodeAt(index), FNV.prime);
  return (hash >>> 24) ^ (hash & 0xff_ff_ff) || 1;
}

function encoded(hashes: readonly number[]): string {
  const bytes = Buffer.alloc(hashes.length * BYTES);
  for (const [index, hash] of hashes.entries()) bytes.writeUIntBE(hash, index * BYTES, BYTES);
  return bytes.toString('base64');
}
