import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../../src/actions/files/decode-text.ts';

const bytes = (hex: string) => Buffer.from(hex, 'hex');
const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('a text with a declared charset', () => {
  it.each([
    ['gb2312', 'cda8d6aa', '通知'],
    ['GBK', 'd0bbd0bb', '谢谢'],
    ['gb18030', '8139ee3995328236', '㐀𠀀'],
    ['Big5', 'a4a4a4e5', '中文'],
    ['Shift_JIS', 'c3bdc4', 'ﾃｽﾄ'],
    ['cp932', '8740', '①'],
    ['EUC-JP', 'c6fccbdc', '日本'],
    ['ISO-2022-JP', '1b2442467c4b5c1b2842', '日本'],
    ['EUC-KR', 'c7d1b1b9', '한국'],
    ['ks_c_5601-1987', 'c7d18c6331c652', '한똠1힣'],
    ['ISO-2022-KR', '1b2429430e475131390f', '한국'],
    ['ISO-2022-CN', '1b2429410e56504e440f', '中文'],
    ['hz-gb-2312', '7e7e7e7b56504e447e7d', '~中文'],
    ['unicode-1-1-utf-7', '47722b4150774133772d65202b2d', 'Grüße +'],
    ['windows-1251', 'd0b8', 'Рё'],
    ['koi8-r', 'f0d2c9d7c5d4', 'Привет'],
    ['iso-8859-8-i', 'f9ece5ed', 'שלום'],
    ['tis-620', 'e4b7c2', 'ไทย'],
    ['ISO8859_15', '313020a4', '10 €'],
    ['cp1252', '933130208094', '“10 €”'],
    ['iso-8859-1', 'c3a9', 'Ã©'],
    ['x-mac-roman', '47729fa765', 'Grüße'],
    ['UTF-16LE', 'e5652c67', '日本'],
    ['utf-16', '65e5672c', '日本'],
    ['utf-16', '61006200', 'ab'],
    ['utf-16', '4f60597d', '你好'],
    ['utf-16le', '604f7d59', '你好'],
    ['EUC_KR', 'c7d1b1b9', '한국'],
    ['euckr', 'c7d1b1b9', '한국'],
    ['UTF16LE', 'e5652c67', '日本'],
    ['utf_16_le', 'e5652c67', '日本'],
    ['utf_16_be', '65e5672c', '日本'],
    ['shiftjis', '93fa967b', '日本'],
    ['windows_31j', '93fa967b', '日本'],
    ['cswindows31j', '93fa967b', '日本'],
    ['ms-kanji', '93fa967b', '日本'],
    ['X_EUC_JP', 'c6fccbdc', '日本'],
    ['big5hkscs', 'a4a4a4e5', '中文'],
    ['GB18030-2005', 'cda8d6aa', '通知'],
    ['gb18030_2022', 'cda8d6aa', '通知'],
    ['tis620', 'e4b7c2', 'ไทย'],
    ['iso8859_8_i', 'f9ece5ed', 'שלום'],
    ['koi8-ru', 'f0d2c9d7c5d4', 'Привет'],
    ['mac_cyrillic', '8ff0e8e2e5f2', 'Привет'],
  ])('is decoded by it, also if it is valid UTF-8: %s', (charset, hex, text) => {
    expect(decodeText(bytes(hex), { charset })).toBe(text);
  });

  it.each([
    ['UTF-8 under another name, with its byte order mark', 'efbbbf47c3bc', 'iso-8859-1', 'Gü'],
    ['UTF-16 with its byte order mark', 'fffe4700fc00', 'us-ascii', 'Gü'],
    ['UTF-16, big-endian', 'feff004700fc', 'utf-8', 'Gü'],
    ['UTF-8 under the name of ASCII', '4772c3bcc39f65', 'us-ascii', 'Grüße'],
    ['Latin-1 under the name of ASCII', '4772fcdf65', 'us-ascii', 'Grüße'],
    ['Latin-1 under the name of UTF-8', '4772fcdf65', 'utf-8', 'Grüße'],
    ['UTF-8 under a name that it can’t have', 'e58fb0e6b9be', 'euc-kr', '台湾'],
    ['UTF-8 that ends in the middle of a character', '4772c3bcc39f65204772c3bcc3', 'utf8', 'Grüße Grü\ufffd'],
    ['a name that says nothing', '4772fcdf65', 'x-unknown', 'Grüße'],
    ...['utf-16', 'utf-16le', 'UTF-16BE', 'ucs-2'].map((charset) => [
      `ASCII under the name of ${charset}`,
      '48656c6c6f20576f726c6421',
      charset,
      'Hello World!',
    ]),
    ['ASCII of an odd length', '48656c6c6f', 'utf-16', 'Hello'],
    ['signs that begin nothing in UTF-7', latin1('1+1=2, C++ and A+B-C').toString('hex'), 'utf-7', '1+1=2, C++ and A+B-C'],
    ['a user-defined one', '4772fcdf65', 'x-user-defined', 'Grüße'],
  ])('is decoded in spite of it: %s', (_what, hex, charset, text) => {
    expect(decodeText(bytes(hex), { charset })).toBe(text);
  });
});

describe('a text without a declared charset', () => {
  it.each([
    ['windows-1251', 'cff0e8e2e5f22c20ece8f0', 'Привет, мир'],
    ['windows-1251', 'cff0e8e2e5f2', 'Привет'],
    ['windows-1251', 'cfd0c8c2c5d2', 'ПРИВЕТ'],
    ['koi8-r', 'f0d2c9d7c5d42c20cdc9d2', 'Привет, мир'],
    ['windows-1251', 'c4eee1f0e8e920e4e5edfc2c20d3eaf0e0bfede0', 'Добрий день, Україна'],
    ['windows-1253', 'cae1ebe7ecddf1e120eafcf3ece5', 'Καλημέρα κόσμε'],
    ['windows-1255', 'f9ece5ed20f2e5eced', 'שלום עולם'],
    ['windows-1256', 'e3d1cdc8c720c8c7e1dac7e1e3', 'مرحبا بالعالم'],
    ['windows-874', 'cac7d1cab4d5aad2c7e2c5a1', 'สวัสดีชาวโลก'],
    ['windows-1254', '5465fe656b6bfc726c6572', 'Teşekkürler'],
    ['windows-1250', '5a61bff3b3e62067ea9c6cb9206a619ff1', 'Zażółć gęślą jaźń'],
    ['iso-8859-2', '437a65b6e62c20b677696174', 'Cześć, świat'],
    ['windows-1250', '50f8ed6c699a209e6c759d6f75e86bfd206bf9f2', 'Příliš žluťoučký kůň'],
    ['windows-1250', 'e17276ed7a74fb72f52074fc6bf67266fa72f367e970', 'árvíztűrő tükörfúrógép'],
    ['windows-1252', '4772fcdf6520617573204bf66c6e', 'Grüße aus Köln'],
    ['windows-1252', '6d61f1616e61', 'mañana'],
    ['windows-1252', 'b13525', '±5%'],
    ['windows-1252', '3235b56d', '25µm'],
    ['windows-1252', '32d73420696e63686573', '2×4 inches'],
    ['windows-1252', '41646420bd20637570', 'Add ½ cup'],
    ['windows-1252', '53656520a7203520616e6420a72037', 'See § 5 and § 7'],
    ['windows-1252', 'a531303030', '¥1000'],
    ['windows-1252', '35a2', '5¢'],
    ['windows-1252', '44722e205afaf1696761', 'Dr. Zúñiga'],
    ['windows-1252', '4962e1f1657a', 'Ibáñez'],
    ['windows-1252', 'b3204675df6e6f7465', '³ Fußnote'],
    ['windows-1252', '323520b04320b12032', '25 °C ± 2'],
    ['windows-1252', '3130206db2', '10 m²'],
    ['windows-1252', 'bc20747370', '¼ tsp'],
    ['windows-1252', '38f732', '8÷2'],
    ['windows-1252', 'be', '¾'],
    ['windows-1252', '4a6f73e9204efaf1657a', 'José Núñez'],
    ['windows-1252', '5065f1ed73636f6c61', 'Peñíscola'],
    ['windows-1252', 'c16e67656c', 'Ángel'],
    ['Big5', '576f7264c0c9aed7', 'Word檔案'],
    ['windows-1252', '64e96ae020767520962031302080', 'déjà vu – 10 €'],
    ['Shift_JIS', '93fa967b8cea', '日本語'],
    ['Shift_JIS', '82b182f182c982bf82cd8141938c8b9e82c582b7', 'こんにちは、東京です'],
    ['EUC-JP', 'c6fccbdcb8ec', '日本語'],
    ['ISO-2022-JP', '1b2442467c4b5c386c244e2561213c256b1b2842', '日本語のメール'],
    ['GBK', 'c4e3bac3a3accac0bde7', '你好，世界'],
    ['Big5', 'a741a66ea141a540acc9', '你好，世界'],
    ['EUC-KR', 'bec8b3e7c7cfbcbcbfe4', '안녕하세요'],
    ['ISO-2022-KR', '1b2429430e3e4833670f', '안녕'],
    ['UTF-16LE', '480069000a00', 'Hi\n'],
    ['UTF-16BE', '00480069000a', 'Hi\n'],
    ['UTF-8', '4772c3bcc39f65', 'Grüße'],
  ])('is told by its letters: %s %s', (_charset, hex, text) => {
    expect(decodeText(bytes(hex))).toBe(text);
  });

  it.each([
    ['HTML', 'text/html', '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">\xd0\xb8', 'Рё'],
    ['HTML, in short', 'text/html', '<!doctype html><META charset=gb2312>\xcd\xa8\xd6\xaa', '通知'],
    ['XML', 'application/xml', '<?xml version="1.0" encoding="ISO-8859-2"?><a>\xb1</a>', '<a>ą</a>'],
    ['SVG', 'image/svg+xml', "<?xml version='1.0' encoding='iso-8859-7'?>\xe4", 'δ'],
    ['HTML that can’t be UTF-16', 'text/html', '<meta charset="utf-16">Gr\xc3\xbc\xc3\x9fe', 'Grüße'],
  ])('is decoded by its own declaration: %s', (_what, mimeType, text, end) => {
    expect(decodeText(latin1(text), { mimeType }).endsWith(end)).toBe(true);
    expect(decodeText(latin1(text), { mimeType: 'text/plain' }).endsWith(end)).toBe(end === 'Grüße');
  });

  it('reads a declaration of HTML at its beginning only, and none against that of the message', () => {
    const late = latin1(`${' '.repeat(1024)}<meta charset=gb2312>\xc3\xa9`);
    expect(decodeText(late, { mimeType: 'text/html' }).endsWith('é')).toBe(true);
    expect(decodeText(latin1('<meta charset=koi8-r>\xcd\xa8'), { mimeType: 'text/html', charset: 'gb2312' }).endsWith('通')).toBe(true);
  });
});
