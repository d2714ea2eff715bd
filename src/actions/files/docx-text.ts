import { type UnzipFileInfo, unzipSync } from 'fflate';
import { Parser } from 'htmlparser2';
import { AppError } from '../../errors.ts';
import type { TextWindow } from '../shared/text-window.ts';

const RELATIONS = '_rels/.rels';
/** All parts that are read, inflated. A document of 1,000 pages has some 10 MB. */
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 10_000;
/** Deeper than tables in tables in text boxes. */
const MAX_DEPTH = 250;
const CHUNK_BYTES = 64 * 1024;
/** Properties, text that was moved away, and the second version of a text box. */
const SKIPPED = new Set(['pPr', 'rPr', 'tblPr', 'tcPr', 'trPr', 'sectPr', 'moveFrom', 'Fallback']);

/**
 * Adds the text of a Word document's body: paragraphs as lines, table cells with tabs between them. Text that was
 * deleted under "track changes" is left out.
 *
 * @throws AppError `too_large`, or `unsupported_media_type` if it is damaged
 */
export function readDocx(bytes: Uint8Array, window: TextWindow): void {
  try {
    const main = mainPart(inflate(bytes, RELATIONS));
    new BodyReader(window).read(inflate(bytes, main));
  } catch (error) {
    throw error instanceof AppError ? error : damaged(error);
  }
}

/** One part of the archive. Sizes are checked before anything is inflated, and a part can't become larger than it says. */
function inflate(bytes: Uint8Array, name: string): Uint8Array {
  let total = 0;
  let entries = 0;
  const filter = (entry: UnzipFileInfo) => {
    entries += 1;
    if (entries > MAX_ENTRIES) throw tooLarge();
    if (entry.name !== name) return false;
    total += entry.originalSize;
    if (total > MAX_INFLATED_BYTES) throw tooLarge();
    return true;
  };
  const part = unzipSync(bytes, { filter })[name];
  if (part === undefined) throw damaged(`no ${name}`);
  return part;
}

/** The name of the part with the document's body (ECMA-376 part 2, clause 9.3). */
function mainPart(relations: Uint8Array): string {
  let target = 'word/document.xml';
  parse(relations, {
    onopentag(_name, { Type: type = '', Target: to = '' }) {
      if (type.endsWith('/officeDocument')) target = to.replace(/^\//, '');
    },
  });
  return target;
}

class BodyReader {
  readonly #window: TextWindow;
  #skipped = 0;
  #cells = 0;
  #isText = false;

  constructor(window: TextWindow) {
    this.#window = window;
  }

  read(xml: Uint8Array): void {
    parse(
      xml,
      {
        onopentag: (name) => this.#open(localName(name)),
        ontext: (text) => {
          if (this.#isText) this.#window.add(text);
        },
        onclosetag: (name) => this.#close(localName(name)),
      },
      () => this.#window.isFull,
    );
  }

  #open(name: string): void {
    if (SKIPPED.has(name)) this.#skipped += 1;
    if (this.#skipped > 0) return;
    if (name === 't') this.#isText = true;
    if (name === 'tc') this.#cells += 1;
    if (name === 'tab') this.#window.add('\t');
    if (name === 'br' || name === 'cr') this.#window.add('\n');
    if (name === 'noBreakHyphen') this.#window.add('-');
  }

  #close(name: string): void {
    if (SKIPPED.has(name)) this.#skipped -= 1;
    if (this.#skipped > 0) return;
    if (name === 't') this.#isText = false;
    if (name === 'p') this.#window.add(this.#cells > 0 ? ' ' : '\n');
    if (name === 'tr') this.#window.add('\n');
    if (name !== 'tc') return;
    this.#cells -= 1;
    this.#window.add('\t');
  }
}

/**
 * Parses XML without its document type: no entity is declared or fetched.
 *
 * @param isDone ends it early
 */
function parse(xml: Uint8Array, handler: ConstructorParameters<typeof Parser>[0], isDone = () => false): void {
  let depth = 0;
  const parser = new Parser(
    {
      ...handler,
      onopentagname() {
        depth += 1;
        if (depth > MAX_DEPTH) throw damaged('nested too deeply');
      },
      onclosetag(name, isImplied) {
        depth -= 1;
        handler?.onclosetag?.(name, isImplied);
      },
    },
    { xmlMode: true },
  );
  const isUtf16 = xml[0] === 0xff && xml[1] === 0xfe;
  const decoder = new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8');
  for (let at = 0; at < xml.length && !isDone(); at += CHUNK_BYTES) {
    parser.write(decoder.decode(xml.subarray(at, at + CHUNK_BYTES), { stream: true }));
  }
  parser.end();
}

/** Without the prefix of its namespace, which a document may choose. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function tooLarge(): AppError {
  return new AppError('too_large', 'The Word document is too large to be read.');
}

function damaged(cause: unknown): AppError {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  return new AppError('unsupported_media_type', 'The Word document is damaged, and can’t be read.', { cause: error });
}
