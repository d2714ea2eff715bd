/**
 * Names that mail and files use besides the labels of the WHATWG Encoding Standard, without the marks between their letters
 * and digits. GB 18030 contains GB 2312 and GBK.
 */
const OTHER_NAMES: Record<string, string> = {
  ascii: 'us-ascii',
  usascii: 'us-ascii',
  ansix341968: 'us-ascii',
  iso646us: 'us-ascii',
  utf8mb4: 'utf-8',
  utf8sig: 'utf-8',
  cp65001: 'utf-8',
  utf16: 'utf-16',
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
  ucs2: 'utf-16',
  iso10646ucs2: 'utf-16',
  unicode: 'utf-16',
  utf7: 'utf-7',
  unicode11utf7: 'utf-7',
  xunicode20utf7: 'utf-7',
  gb2312: 'gb18030',
  gb231280: 'gb18030',
  euccn: 'gb18030',
  xeuccn: 'gb18030',
  gbk: 'gb18030',
  xgbk: 'gb18030',
  cp936: 'gb18030',
  ms936: 'gb18030',
  windows936: 'gb18030',
  gb180302000: 'gb18030',
  gb180302005: 'gb18030',
  gb180302022: 'gb18030',
  hz: 'hz-gb-2312',
  hzgb2312: 'hz-gb-2312',
  iso2022cn: 'iso-2022-cn',
  iso2022cnext: 'iso-2022-cn',
  iso2022kr: 'iso-2022-kr',
  csiso2022kr: 'iso-2022-kr',
  iso2022jp1: 'iso-2022-jp',
  iso2022jp2: 'iso-2022-jp',
  iso2022jp3: 'iso-2022-jp',
  iso2022jpms: 'iso-2022-jp',
  iso2022jp2004: 'iso-2022-jp',
  cp50220: 'iso-2022-jp',
  cp50221: 'iso-2022-jp',
  jis: 'iso-2022-jp',
  eucjp: 'euc-jp',
  xeucjp: 'euc-jp',
  eucjpms: 'euc-jp',
  shiftjis: 'shift_jis',
  mskanji: 'shift_jis',
  windows31j: 'shift_jis',
  cswindows31j: 'shift_jis',
  cp932: 'shift_jis',
  ms932: 'shift_jis',
  windows932: 'shift_jis',
  cp943: 'shift_jis',
  euckr: 'euc-kr',
  cp949: 'euc-kr',
  ms949: 'euc-kr',
  xwindows949: 'euc-kr',
  uhc: 'euc-kr',
  ksc5601: 'euc-kr',
  big5hkscs: 'big5',
  cp950: 'big5',
  ms950: 'big5',
  windows950: 'big5',
  macroman: 'macintosh',
  xmacroman: 'macintosh',
  maccyrillic: 'x-mac-cyrillic',
  tis620: 'windows-874',
  iso88598i: 'iso-8859-8-i',
  cp866: 'ibm866',
  latin1: 'windows-1252',
  isolatin1: 'windows-1252',
  latin2: 'iso-8859-2',
  latin9: 'iso-8859-15',
  koi8r: 'koi8-r',
  koi8u: 'koi8-u',
  koi8ru: 'koi8-u',
};

/**
 * The name of a charset by any of its labels, in lower case: of the WHATWG Encoding Standard, of {@link OTHER_NAMES}, or with
 * other marks between its letters and digits, such as `ISO8859_15` and `win-1251`.
 *
 * @returns `us-ascii`, `utf-7`, `utf-16` (of either byte order), `hz-gb-2312`, `iso-2022-kr`, `iso-2022-cn`, or an encoding
 *   of TextDecoder; undefined for names that say nothing, such as `x-unknown`
 */
export function charsetNamed(label: string): string | undefined {
  const given = label.trim().toLowerCase();
  const plain = given.replace(/[^a-z0-9]/g, '');
  if (Object.hasOwn(OTHER_NAMES, plain)) return OTHER_NAMES[plain];
  const [, codePage] = /^(?:x?cp|ms|win|windows|ibm|x?windows)(125[0-8]|874)$/.exec(plain) ?? [];
  const [, part] = /^(?:x?iso)?8859(1[0-6]|[1-9])$/.exec(plain) ?? [];
  const names = [given, codePage && `windows-${codePage}`, part && `iso-8859-${part}`, plain];
  return names.map((name) => name && encodingOf(name)).find((name) => name);
}

function encodingOf(label: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(label);
    return encoding === 'x-user-defined' ? undefined : encoding;
  } catch {
    return undefined;
  }
}
