import { z } from 'zod';

/** Not shown on a page: Hidden and NoView (ISO 32000-2, 12.5.3). */
const UNSEEN = 0x02 | 0x20;

const words = z.object({ str: z.string().default('') }).default({ str: '' });
const choice = z.object({ exportValue: z.string(), displayValue: z.string() });

/** As the parser gives it: what a form field has besides its name depends on its type (12.7.5). */
const annotation = z.object({
  subtype: z.string(),
  annotationFlags: z.int().default(0),
  fieldName: z.string().default(''),
  alternativeText: z.string().default(''),
  fieldValue: z.union([z.string(), z.string().array()]).nullish().catch(undefined),
  /** `checkBox`: the value if it is ticked; `buttonValue`: that of one radio button. */
  exportValue: z.string().nullish().catch(undefined),
  buttonValue: z.string().nullish().catch(undefined),
  checkBox: z.boolean().default(false),
  radioButton: z.boolean().default(false),
  pushButton: z.boolean().default(false),
  password: z.boolean().default(false),
  options: choice.array().nullish().catch(undefined),
  contentsObj: words,
  titleObj: words,
});
type Annotation = z.output<typeof annotation>;

/**
 * What is written on a page besides its content: the values of form fields, and the text of notes, one on a line.
 *
 * @param annotations as the parser gives them, not checked
 */
export function annotationLines(annotations: readonly unknown[]): string[] {
  return annotations.flatMap((given) => {
    const read = annotation.safeParse(given).data;
    if (read === undefined || (read.annotationFlags & UNSEEN) !== 0) return [];
    const line = read.subtype === 'Widget' ? fieldLine(read) : noteLine(read);
    return line === undefined ? [] : [line];
  });
}

/** undefined: it is empty, or its value is not for readers */
function fieldLine(field: Annotation): string | undefined {
  if (field.password || field.pushButton) return undefined;
  const value = shownValue(field);
  const name = field.alternativeText || field.fieldName;
  return value === '' ? undefined : `[field] ${name === '' ? '' : `${name}: `}${value}`;
}

function shownValue({ fieldValue, exportValue, buttonValue, checkBox: isBox, radioButton: isRadio, options }: Annotation): string {
  if (isBox) return typeof fieldValue === 'string' && fieldValue === exportValue ? '☒' : '☐';
  if (isRadio) return typeof fieldValue === 'string' && fieldValue === buttonValue ? buttonValue : '';
  const shown = new Map(options?.map((one) => [one.exportValue, one.displayValue]));
  return [fieldValue ?? []]
    .flat()
    .map((value) => shown.get(value) ?? value)
    .join(', ');
}

/** Links have no text of their own, and pop-ups that of another note. */
function noteLine({ subtype, contentsObj, titleObj }: Annotation): string | undefined {
  if (contentsObj.str.trim() === '' || subtype === 'Link' || subtype === 'Popup') return undefined;
  return `[note] ${titleObj.str === '' ? '' : `${titleObj.str}: `}${contentsObj.str.trim()}`;
}
