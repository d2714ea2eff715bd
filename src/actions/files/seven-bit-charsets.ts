const [ESCAPE, SHIFT_OUT, SHIFT_IN, LINE_FEED, TILDE] = [0x1b, 0x0e, 0x0f, 0x0a, 0x7e];

/** Charsets of ASCII bytes alone that TextDecoder doesn't know. */
export const SEVEN_BIT: Record<string, (bytes: Uint8Array) => string> = {
  'utf-7': decodeUtf7,
  'hz-gb-2312': decodeHz,
  'iso-2022-kr': (bytes) => decodeShifted(bytes, 'euc-kr'),
  'iso-2022-cn': (bytes) => decodeShifted(bytes, 'gb18030'),
};

/** RFC 2152: UTF-16 in base64 between `+` and `-`. What isn't whole units, with zero bits behind, stays as it is. */
function decodeUtf7(bytes: Uint8Array): string {
  const decoder = new TextDecoder('utf-16be', { ignoreBOM: true });
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/\+([A-Za-z0-9+/]*)-?/g, (whole, encoded: string) => {
      if (encoded === '') return '+';
      const encodedBytes = Buffer.from(encoded, 'base64');
      const units = encodedBytes.subarray(0, encodedBytes.length & ~1);
      return units.toString('base64').replace(/={1,2}$/, '') === encoded ? decoder.decode(units) : whole;
    });
}

/** RFC 1843: GB 2312 between `~{` and `~}`, `~~` for a tilde, and lines that continue after `~`. */
function decodeHz(bytes: Uint8Array): string {
  const result = new Uint8Array(bytes.length);
  let length = 0;
  let isShifted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const mark = byte === TILDE ? String.fromCharCode(bytes[at + 1] ?? 0) : '';
    // A line that isn't closed ends in ASCII.
    if (byte === LINE_FEED || mark === '}') isShifted = false;
    if (mark === '{') isShifted = true;
    if (/^[{}~\n]$/.test(mark)) at += 1;
    if (mark === '' || !/^[{}\n]$/.test(mark)) result[length++] = isShifted && byte > 0x20 ? byte | 0x80 : byte;
  }
  return new TextDecoder('gb18030').decode(result.subarray(0, length));
}

/** RFC 1557, and of RFC 1922 the GB 2312 characters: one designated set between shift out and shift in. */
function decodeShifted(bytes: Uint8Array, eightBit: string): string {
  const result = new Uint8Array(bytes.length);
  let length = 0;
  let isShifted = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    // `ESC $ ) C` designates the set.
    if (byte === ESCAPE && bytes[at + 1] === 0x24) at += 3;
    else if (byte === SHIFT_OUT) isShifted = true;
    else if (byte === SHIFT_IN) isShifted = false;
    else {
      if (byte === LINE_FEED) isShifted = false;
      result[length++] = isShifted && byte > 0x20 ? byte | 0x80 : byte;
    }
  }
  return new TextDecoder(eightBit).decode(result.subarray(0, length));
}
