const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;

/**
 * Korean as Windows writes it: code page 949, of which TextDecoder knows the characters of EUC-KR. The code page has the
 * other 8,822 syllables in the order of Unicode, in pairs that EUC-KR doesn't use.
 */
export function decodeCp949(bytes: Uint8Array): string {
  const decoder = new TextDecoder('euc-kr');
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const [first = 0, second = 0] = [bytes[at], bytes[at + 1]];
    if (first < 0x80) continue;
    const syllable = syllables().get(first * 256 + second);
    if (syllable !== undefined) {
      pieces.push(decoder.decode(bytes.subarray(from, at)), syllable);
      from = at + 2;
    }
    at += 1;
  }
  return [...pieces, decoder.decode(bytes.subarray(from))].join('');
}

let known: ReadonlyMap<number, string> | undefined;

/** By their two bytes. */
function syllables(): ReadonlyMap<number, string> {
  if (known !== undefined) return known;
  const places = pairs();
  known = new Map(missing().map((syllable, index) => [places[index] ?? 0, syllable]));
  return known;
}

/** The syllables that aren't in EUC-KR. */
function missing(): string[] {
  const bytes = Uint8Array.from({ length: 25 * 94 * 2 }, (_, at) =>
    at % 2 === 0 ? 0xb0 + Math.floor(at / 188) : 0xa1 + ((at % 188) >> 1),
  );
  const common = new Set(new TextDecoder('euc-kr').decode(bytes));
  const all = Array.from({ length: LAST_SYLLABLE - FIRST_SYLLABLE + 1 }, (_, index) => String.fromCharCode(FIRST_SYLLABLE + index));
  return all.filter((syllable) => !common.has(syllable));
}

function pairs(): number[] {
  const found: number[] = [];
  for (let first = 0x81; first <= 0xc6; first += 1) {
    for (let second = 0x41; second <= (first > 0xa0 ? 0xa0 : 0xfe); second += 1) {
      if (second <= 0x5a || (second >= 0x61 && second <= 0x7a) || second >= 0x81) found.push(first * 256 + second);
    }
  }
  return found;
}
