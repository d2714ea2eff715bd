import { webLink } from '../shared/text-marks.ts';

/** Fields in fields; real documents have a few. */
const MAX_FIELDS = 100;
const MAX_INSTRUCTION = 5_000;

interface Field {
  instruction: string;
  /** Its result follows, which is text. */
  isResult: boolean;
}

/** The fields that are open: each begins with an instruction, and shows a result (ECMA-376 part 1, clause 17.16.18). */
export class DocxFields {
  readonly #open: Field[] = [];

  /** Whether text here is a part of an instruction. */
  get isInstruction(): boolean {
    return this.#open.some(({ isResult }) => !isResult);
  }

  begin(): void {
    // Further ones have neither instructions nor links.
    if (this.#open.length < MAX_FIELDS) this.#open.push({ instruction: '', isResult: false });
  }

  instruct(text: string): void {
    const field = this.#open.at(-1);
    if (field !== undefined && field.instruction.length < MAX_INSTRUCTION) field.instruction += text;
  }

  /** The result begins. @returns the address of a link */
  separate(): string | undefined {
    const field = this.#open.at(-1);
    if (field === undefined) return undefined;
    field.isResult = true;
    return webLink(/^\s*HYPERLINK\s+"([^"]+)"/i.exec(field.instruction)?.[1]);
  }

  /** @returns whether it had a result */
  end(): boolean {
    return this.#open.pop()?.isResult ?? false;
  }
}
