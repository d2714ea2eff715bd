const KEY = 'feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308';
const MESSAGE =
  'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255';
const TEXT =
  '522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad';
const NONCE = 'cafebabefacedbaddecaf888';

/** "The Galois/Counter Mode of Operation", appendix B, as submitted to NIST. */
export const AES_GCM = [
  { name: 'case 13', key: '00'.repeat(32), iv: '00'.repeat(12), aad: '', msg: '', ct: '', tag: '530f8afbc74536b9a963b4f1c4cb738b' },
  {
    name: 'case 14',
    key: '00'.repeat(32),
    iv: '00'.repeat(12),
    aad: '',
    msg: '00'.repeat(16),
    ct: 'cea7403d4d606b6e074ec5d3baf39d18',
    tag: 'd0d1c8a799996bf0265b98b5d48ab919',
  },
  { name: 'case 15', key: KEY, iv: NONCE, aad: '', msg: MESSAGE, ct: TEXT, tag: 'b094dac5d93471bdec1a502270e3cc6c' },
  {
    name: 'case 16',
    key: KEY,
    iv: NONCE,
    aad: 'feedfacedeadbeeffeedfacedeadbeefabaddad2',
    msg: MESSAGE.slice(0, 120),
    ct: TEXT.slice(0, 120),
    tag: '76fc6ece0f4e1768cddf8853bb2d551b',
  },
];

const range = (from: number, to: number) => Buffer.from(Array.from({ length: to - from + 1 }, (_, index) => from + index)).toString('hex');

/** RFC 5869, appendix A.1 to A.3. */
export const HKDF = [
  {
    name: 'A.1',
    ikm: '0b'.repeat(22),
    salt: range(0x00, 0x0c),
    info: range(0xf0, 0xf9),
    size: 42,
    okm: '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
  },
  {
    name: 'A.2',
    ikm: range(0x00, 0x4f),
    salt: range(0x60, 0xaf),
    info: range(0xb0, 0xff),
    size: 82,
    okm: 'b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87',
  },
  {
    name: 'A.3',
    ikm: '0b'.repeat(22),
    salt: '',
    info: '',
    size: 42,
    okm: '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
  },
];

const CLAIMS = 'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ';

/** RFC 7515, appendix A.3 (ES256); RFC 8037, appendix A.4 (EdDSA). */
export const JWS = [
  {
    name: 'RFC 7515 A.3',
    alg: 'ES256',
    jwk: {
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    },
    jws: `eyJhbGciOiJFUzI1NiJ9.${CLAIMS}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q`,
  },
  {
    name: 'RFC 8037 A.4',
    alg: 'EdDSA',
    jwk: { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' },
    jws: 'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
  },
];
