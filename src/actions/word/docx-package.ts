import { type UnzipFileInfo, unzipSync } from 'fflate';
import { Parser } from 'htmlparser2';
import { AppError } from '../../errors.ts';

/** All parts that are read, inflated. A document of 1,000 pages has some 10 MB. */
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 10_000;
/** Deeper than tables in tables in text boxes. */
const MAX_DEPTH = 250;
const CHUNK_BYTES = 64 * 1024;

export type Attributes = Readonly<Record<string, string>>;

/** What happens to the elements of a part; names are without the prefix of their namespace, which a document may choose. */
export interface PartHandler {
  onOpen(name: string, attributes: Attributes): void;
  onText?(text: string): void;
  onClose?(name: string): void;
  /** Ends the reading early. */
  isDone?(): boolean;
}

/** A relationship of a part to another part, or to an address outside (ECMA-376 part 2, clause 9.3). */
export interface Relationship {
  id: string;
  /** The last segment of its type: `header`. */
  type: string;
  /** The other part's name, or the address. */
  target: string;
}

/** The parts of a Word document. */
export class DocxPackage {
  readonly #bytes: Uint8Array;
  #inflated = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The name of the part with the document's body. */
  get mainPart(): string {
    const xml = this.#inflate('_rels/.rels');
    if (xml === undefined) throw damaged('no relationships');
    return relationshipsIn(xml, '').find(({ type }) => type === 'officeDocument')?.target ?? 'word/document.xml';
  }

  relationshipsOf(part: string): Relationship[] {
    const at = part.lastIndexOf('/') + 1;
    const xml = this.#inflate(`${part.slice(0, at)}_rels/${part.slice(at)}.rels`);
    return xml === undefined ? [] : relationshipsIn(xml, part);
  }

  /** Reads a part's XML. @returns whether there is such a part */
  read(part: string, handler: PartHandler): boolean {
    const xml = this.#inflate(part);
    if (xml !== undefined) parseXml(xml, handler);
    return xml !== undefined;
  }

  /** Sizes are checked before anything is inflated, and a part can't become larger than it says. */
  #inflate(name: string): Uint8Array | undefined {
    let entries = 0;
    const wanted = comparable(name);
    const filter = (entry: UnzipFileInfo) => {
      entries += 1;
      if (entries > MAX_ENTRIES) throw tooLarge();
      if (comparable(entry.name) !== wanted) return false;
      this.#inflated += entry.originalSize;
      if (this.#inflated > MAX_INFLATED_BYTES) throw tooLarge();
      return true;
    };
    return Object.values(unzipSync(this.#bytes, { filter }))[0];
  }
}

/** The value of an attribute, whatever the prefix of its namespace. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  for (const given of Object.keys(attributes)) if (localName(given) === name) return attributes[given];
  return undefined;
}

/** A switch such as `<w:vanish/>`: on, unless its value says otherwise (ECMA-376 part 1, clause 17.17.4). */
export function isOn(attributes: Attributes): boolean {
  return !['0', 'false', 'off'].includes(attribute(attributes, 'val') ?? '1');
}

/** The error of a document that can’t be read. `cause` is logged. */
export function damaged(cause: unknown): AppError {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  return new AppError('unsupported_media_type', 'The Word document is damaged, and can’t be read.', { cause: error });
}

/** @param source the part whose relationships they are */
function relationshipsIn(xml: Uint8Array, source: string): Relationship[] {
  const found: Relationship[] = [];
  parseXml(xml, {
    onOpen(name, { Id: id = '', Type: type = '', Target: to = '', TargetMode: mode }) {
      if (name !== 'Relationship') return;
      const target = mode === 'External' ? to : partName(to, source);
      if (target !== undefined) found.push({ id, type: type.slice(type.lastIndexOf('/') + 1), target });
    },
  });
  return found;
}

/** Names of parts are the same in either case (ECMA-376 part 2, clause 6.2.2.3), and some programs write backslashes. */
function comparable(name: string): string {
  return name.replaceAll('\\', '/').toLowerCase();
}

function partName(target: string, source: string): string | undefined {
  const path = URL.parse(target, `file:///${source}`)?.pathname;
  try {
    return path === undefined ? undefined : decodeURIComponent(path).slice(1);
  } catch {
    return undefined;
  }
}

/** Parses XML without its document type: no entity is declared or fetched. */
function parseXml(xml: Uint8Array, handler: PartHandler): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentagname() {
        depth += 1;
        if (depth > MAX_DEPTH) throw damaged('nested too deeply');
      },
      onopentag: (name, attributes) => handler.onOpen(localName(name), attributes),
      ontext: (text) => handler.onText?.(text),
      onclosetag(name) {
        depth -= 1;
        handler.onClose?.(localName(name));
      },
    },
    { xmlMode: true },
  );
  const decoder = new TextDecoder(encodingOf(xml));
  for (let at = 0; at < xml.length && handler.isDone?.() !== true; at += CHUNK_BYTES) {
    parser.write(decoder.decode(xml.subarray(at, at + CHUNK_BYTES), { stream: true }));
  }
  parser.end();
}

/** XML is in UTF-8, or in UTF-16 with a byte order mark. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function tooLarge(): AppError {
  return new AppError('too_large', 'The Word document is too large to be read.');
}
