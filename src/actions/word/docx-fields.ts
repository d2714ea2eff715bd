import { webLink } from '../shared/text-marks.ts';
import { type Attributes, attribute, isOn } from './docx-package.ts';

/** Fields in fields; real documents have a few. */
const MAX_FIELDS = 100;
const MAX_INSTRUCTION = 5_000;

interface Field {
  instruction: string;
  /** Its result follows, which is text. */
  isResult: boolean;
  /** The value of a form field, which has no text as its result (clause 17.16.17). */
  form: Form | undefined;
}

interface Form {
  isChecked: boolean | undefined;
  entries: string[];
  selected: number;
}

const MAX_ENTRIES = 1_000;

/** The fields that are open: each begins with an instruction, and shows a result (ECMA-376 part 1, clause 17.16.18). */
export class DocxFields {
  readonly #open: Field[] = [];

  /** Whether text here is a part of an instruction. */
  get isInstruction(): boolean {
    return this.#open.some(({ isResult }) => !isResult);
  }

  begin(): void {
    // Further ones have neither instructions nor links.
    if (this.#open.length < MAX_FIELDS) this.#open.push({ instruction: '', isResult: false, form: undefined });
  }

  instruct(text: string): void {
    const field = this.#open.at(-1);
    if (field !== undefined && field.instruction.length < MAX_INSTRUCTION) field.instruction += text;
  }

  /** The result begins. @returns whether it does, and the address of a link */
  separate(): { begins: boolean; link?: string | undefined } {
    const field = this.#open.at(-1);
    if (field === undefined || field.isResult) return { begins: false };
    field.isResult = true;
    return { begins: true, link: linkIn(field.instruction) };
  }

  /** A property of a form field. */
  readForm(name: string, parent: string | undefined, attributes: Attributes): void {
    const field = this.#open.at(-1);
    if (field === undefined) return;
    if (name === 'checkBox' || name === 'ddList')
      field.form = { isChecked: name === 'checkBox' ? false : undefined, entries: [], selected: 0 };
    const { form } = field;
    const value = attribute(attributes, 'val');
    // The state comes behind the default.
    if (form !== undefined && parent === 'checkBox' && (name === 'default' || name === 'checked')) form.isChecked = isOn(attributes);
    if (form === undefined || parent !== 'ddList') return;
    if (name === 'default' || name === 'result') form.selected = Number(value);
    if (name === 'listEntry' && form.entries.length < MAX_ENTRIES) form.entries.push(value ?? '');
  }

  /** @returns whether it had a result, and the value of a form field */
  end(): { hadResult: boolean; form: string } {
    const field = this.#open.pop();
    return { hadResult: field?.isResult ?? false, form: field?.form === undefined ? '' : formText(field.form) };
  }
}

/** The address of a link, by the instruction of its field: in quotation marks, which one without spaces doesn't need (clause 17.16.5.25). */
export function linkIn(instruction: string): string | undefined {
  const [, quoted, bare] = /^\s*HYPERLINK\s+(?:"([^"]+)"|([^\s"\\]+))/i.exec(instruction) ?? [];
  return webLink(quoted ?? bare);
}

function formText({ isChecked, entries, selected }: Form): string {
  return isChecked === undefined ? (entries[selected] ?? '') : isChecked ? '☒' : '☐';
}
