/** Letters and digits in a row that are compared. */
const LENGTH = 24;
/** Of this many neighbouring fingerprints one is kept, so that a common text of 39 letters and digits is always found. */
const WINDOW = 16;
const MAX_TEXT = 64 * 1024;
/** Bytes of a fingerprint. */
const SIZE = 6;
const HIGH = 0x10000;
const [PRIME, OTHER_PRIME] = [16_777_619, 65_599];
/** Addresses are compared whole, however short they are. */
const ADDRESS = /@|:\/\//;
const SEPARATORS = /[\s,;<>()[\]{}"'“”]+/;
const [NO_HASHES, NO_PLACES] = [new Float64Array(), new Uint32Array()];
const MIN_ADDRESS = 6;
const MAX_ADDRESS = 300;

/** A part of a text. */
interface Span {
  from: number;
  to: number;
}

/** A part of a text that repeats another text. */
export interface Repetition extends Span {
  /** Position of that text in the index. */
  source: number;
}

/**
 * Fingerprints by which a later text is recognized that repeats a part of these: of letters and digits in a row, chosen by
 * winnowing (Schleimer, Wilkerson, Aiken: "Winnowing: Local Algorithms for Document Fingerprinting", 2003), and of
 * addresses. Nothing of the texts can be read from them.
 *
 * @param max fingerprints, of the beginning
 * @returns 6 bytes each
 */
export function fingerprintsOf(texts: readonly string[], max: number): Buffer {
  const found = new Set<number>();
  for (const text of texts) {
    const part = text.slice(0, MAX_TEXT);
    for (const { from, to } of addressesIn(part)) add(found, hashOf(part.slice(from, to)), max);
    for (const hash of winnow(hashesOf(part).hashes)) add(found, hash, max);
    if (found.size >= max) break;
  }
  const bytes = Buffer.alloc(found.size * SIZE);
  let place = 0;
  for (const hash of found) place = bytes.writeUIntBE(hash, place, SIZE);
  return bytes;
}

/** Fingerprints of several texts by the position of their text; where texts are alike, of the first. */
export type FingerprintIndex = ReadonlyMap<number, number>;

export function fingerprintIndex(texts: readonly Buffer[]): FingerprintIndex {
  const index = new Map<number, number>();
  for (const [position, fingerprints] of texts.entries()) {
    for (let place = 0; place + SIZE <= fingerprints.length; place += SIZE) {
      const hash = fingerprints.readUIntBE(place, SIZE);
      if (!index.has(hash)) index.set(hash, position);
    }
  }
  return index;
}

/** The parts of a text that repeat an indexed one, in order, and the position of that one. */
export function repeated(text: string, index: FingerprintIndex): Repetition[] {
  if (index.size === 0) return [];
  const { hashes, places } = hashesOf(text);
  const found: Repetition[] = [];
  for (const [run, hash] of hashes.entries()) {
    const source = index.get(hash);
    if (source !== undefined) found.push({ ...spanOf(places, run), source });
  }
  for (const { from, to } of addressesIn(text)) {
    const source = index.get(hashOf(text.slice(from, to)));
    if (source !== undefined) found.push({ from, to, source });
  }
  return joined(found.sort((one, other) => one.from - other.from));
}

function add(found: Set<number>, hash: number, max: number): void {
  if (found.size < max) found.add(hash);
}

/** The hash of each run of {@link LENGTH} letters and digits, and the places of these in the text. */
function hashesOf(text: string): { hashes: Float64Array; places: Uint32Array } {
  // Most texts of a result are ids, names and times.
  if (text.length < LENGTH) return { hashes: NO_HASHES, places: NO_PLACES };
  const { places, codes } = lettersOf(text);
  const hashes = new Float64Array(Math.max(0, codes.length - LENGTH + 1));
  const [leaving, otherLeaving] = [power(PRIME), power(OTHER_PRIME)];
  let low = 0;
  let high = 0;
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] as number;
    const gone = index >= LENGTH ? (codes[index - LENGTH] as number) : 0;
    low = (Math.imul(low, PRIME) + code - Math.imul(gone, leaving)) | 0;
    high = (Math.imul(high, OTHER_PRIME) + code - Math.imul(gone, otherLeaving)) | 0;
    if (index >= LENGTH - 1) hashes[index - LENGTH + 1] = combined(low, high);
  }
  return { hashes, places };
}

function power(prime: number): number {
  let product = 1;
  for (let step = 0; step < LENGTH; step += 1) product = Math.imul(product, prime);
  return product;
}

/** 48 bits, mixed so that winnowing chooses evenly. */
function combined(low: number, high: number): number {
  const mixed = Math.imul(low ^ (low >>> 15), 0x2c1b3c6d);
  return ((high >>> 16) & (HIGH - 1)) * 0x1_0000_0000 + ((mixed ^ (mixed >>> 13)) >>> 0);
}

function hashOf(address: string): number {
  const [low, high] = [...address.toLowerCase()].reduce(
    ([one, other], character) => {
      const code = character.codePointAt(0) ?? 0;
      return [(Math.imul(one, PRIME) + code) | 0, (Math.imul(other, OTHER_PRIME) + code) | 0];
    },
    [1, 1],
  );
  return combined(low, high);
}

/** Places and lower-case codes of the letters and digits: white space, punctuation and invisible characters differ often. */
function lettersOf(text: string): { places: Uint32Array; codes: Uint16Array } {
  const places = new Uint32Array(text.length);
  const codes = new Uint16Array(text.length);
  let count = 0;
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    const letter = code < 0x80 ? asciiLetter(code) : otherLetter(code);
    if (letter === 0) continue;
    places[count] = place;
    codes[count] = letter;
    count += 1;
  }
  return { places: places.subarray(0, count), codes: codes.subarray(0, count) };
}

function asciiLetter(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code + 0x20;
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39) ? code : 0;
}

const LETTER = /[\p{L}\p{N}\p{Cs}]/u;

function otherLetter(code: number): number {
  const character = String.fromCharCode(code);
  return LETTER.test(character) ? character.toLowerCase().charCodeAt(0) : 0;
}

/** The least hash of each window, once. */
function winnow(hashes: Float64Array): Set<number> {
  const kept = new Set<number>();
  let least = -1;
  for (let end = 0; end < hashes.length; end += 1) {
    const start = Math.max(0, end - WINDOW + 1);
    if (least < start) least = leastOf(hashes, start, end);
    else if ((hashes[end] as number) <= (hashes[least] as number)) least = end;
    if (end >= WINDOW - 1 || end === hashes.length - 1) kept.add(hashes[least] as number);
  }
  return kept;
}

function leastOf(hashes: Float64Array, start: number, end: number): number {
  let least = start;
  for (let index = start; index <= end; index += 1) if ((hashes[index] as number) <= (hashes[least] as number)) least = index;
  return least;
}

function spanOf(places: Uint32Array, index: number): Span {
  return { from: places[index] as number, to: (places[index + LENGTH - 1] as number) + 1 };
}

function addressesIn(text: string): Span[] {
  const spans: Span[] = [];
  if (!ADDRESS.test(text)) return spans;
  let from = 0;
  for (const word of text.split(SEPARATORS)) {
    from = text.indexOf(word, from);
    const isAddress = word.length >= MIN_ADDRESS && word.length <= MAX_ADDRESS && ADDRESS.test(word);
    const trimmed = isAddress ? word.replace(/[.:!?]{1,10}$/, '') : '';
    if (trimmed !== '') spans.push({ from, to: from + trimmed.length });
    from += word.length;
  }
  return spans;
}

/** Parts whose distance is below a window's are one, since only some fingerprints of a text are kept. */
function joined(parts: readonly Repetition[]): Repetition[] {
  const result: Repetition[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (last === undefined || part.from > last.to + WINDOW) result.push({ ...part });
    else last.to = Math.max(last.to, part.to);
  }
  return result;
}
