import { asUtf8, isUtf16 } from './decode-text.ts';

/** Pages. A person reads what they display; some are for programs that run or reduce them. */
const PAGES = new Set(['text/html', 'application/xhtml+xml', 'text/x-amp-html', 'text/watch-html']);
/** Types of programs that don't know better: the file's name says more. */
const GENERIC =
  /^(?:|(?:application|binary)\/(?:x-)?octet-stream|application\/(?:x-)?(?:binary|download|force-download|unknown|data|stream)|unknown\/(?:unknown|application)|(?:application\/)?\*(?:\/\*)?)$/;
/** Types besides `text/` that are text. RTF and PDF aren't: their source is no text to read. */
const TEXT_TYPE =
  /^(?:(?!text\/(?:rtf|richtext|(?:x-)?pdf)$)text\/.+|message\/.+|plain\/text|.+\+(?:json|xml|yaml|json-seq)|application\/(?:x-)?(?:json|json5|jsonl|jsonlines|json-lines|ndjson|json-seq|xml|xml-dtd|xml-external-parsed-entity|yaml|toml|csv|tab-separated-values|sql|javascript|ecmascript|typescript|graphql|sh|shellscript|bash|csh|perl|python|ruby|php|httpd-php|lua|tex|latex|texinfo|bibtex|subrip|ics|ical|icalendar|vcard|mbox|pgp-keys|pgp-signature|pem-file|x509-pem|www-form-urlencoded|markdown|patch|diff|bat|troff|n-triples|n-quads|trig|sparql-query|node|properties|plain|txt|text))$/;
/** A spreadsheet program claims its import formats too, a media player TypeScript, and a system its scripts. */
const CLAIMED: readonly (readonly [RegExp, RegExp])[] = [
  [/^application\/(?:(?:vnd\.)?(?:ms-?excel|msexcel)|(?:x-)?excel|x-msexcel|xls|x-xls)$/, /\.(?:csv|tsv|tab|txt|prn)$/],
  [/^video\/(?:mp2t|vnd\.dlna\.mpeg-tts)$/, /\.[cm]?tsx?$/],
  [/^application\/(?:x-)?ms-?(?:dos-program|download)$/, /\.(?:bat|cmd|ps1)$/],
];
/** Of names whose text isn't plain. */
const NAMED_TYPES: Record<string, string> = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  xml: 'application/xml',
  svg: 'image/svg+xml',
  json: 'application/json',
  ics: 'text/calendar',
  vcf: 'text/vcard',
  md: 'text/markdown',
  eml: 'message/rfc822',
};
const PLAIN = new Set(
  (
    'txt text log out asc nfo rst adoc org markdown mdx tab prn json5 jsonl ndjson geojson ipynb har webmanifest xsd xsl xslt dtd rss atom ' +
    'kml gpx opml wsdl plist yaml yml toml ini cfg conf config properties env editorconfig gitignore gitattributes dockerignore npmrc lock ' +
    'ical ifb icalendar vcard mbox css scss sass less js mjs cjs jsx ts mts cts tsx vue svelte sql sh bash zsh fish bat cmd ps1 psm1 py pyi rb pl ' +
    'pm php java kt kts scala groovy gradle c h cc cpp cxx hpp cs fs vb go rs swift m lua r jl dart ex exs erl hs clj lisp el tf hcl proto graphql ' +
    'gql tex bib sty srt vtt ass sub po pot strings diff patch pem crt cer csr pub key reg service desktop cmake mk ledger beancount qif ofx qfx mt940 sta edi'
  ).split(' '),
);
const PLAIN_NAMES = new Set(
  'readme license licence copying notice authors changelog makefile dockerfile gemfile rakefile procfile'.split(' '),
);

/** Bytes that are looked at. */
const SAMPLE_BYTES = 4096;
/** More control characters than that are in no text. */
const CONTROLS = 0.1;

/** Whether a media type says nothing about the content. */
export function isGeneric(mimeType: string): boolean {
  return GENERIC.test(mimeType);
}

/**
 * The media type of a file's text, by its type, or by its name if the type says nothing or claims too much: the one answer
 * for attachments and for files of the drive.
 *
 * @param mimeType in lower case, without parameters
 * @returns undefined: it isn't text
 */
export function textType(mimeType: string, name: string): string | undefined {
  if (TEXT_TYPE.test(mimeType)) return mimeType;
  const file = name.trim().toLowerCase();
  const isClaimed = CLAIMED.some(([type, names]) => type.test(mimeType) && names.test(file));
  if (!isGeneric(mimeType) && !isClaimed) return undefined;
  const extension = file.slice(file.lastIndexOf('.') + 1);
  if (PLAIN_NAMES.has(file)) return 'text/plain';
  if (!file.includes('.')) return undefined;
  return Object.hasOwn(NAMED_TYPES, extension) ? NAMED_TYPES[extension] : PLAIN.has(extension) ? 'text/plain' : undefined;
}

/** Whether a type of text is read by what it displays. @param mimeType in lower case, without parameters */
export function isPage(mimeType: string): boolean {
  return PAGES.has(mimeType);
}

/** Whether content can be text, whatever its type: other files have many control characters, or zero bytes among invalid ones. */
export function isTextContent(bytes: Uint8Array): boolean {
  if (isUtf16(bytes)) return true;
  if (bytes.includes(0) && asUtf8(bytes) === undefined) return false;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  return sample.reduce((count, byte) => count + (isControl(byte) ? 1 : 0), 0) <= sample.length * CONTROLS;
}

/** But those of lines, tabs, pages and ISO 2022. */
function isControl(byte: number): boolean {
  return byte < 0x08 || (byte > 0x0f && byte < 0x1b) || (byte > 0x1b && byte < 0x20);
}
