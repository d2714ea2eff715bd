import { builtInName } from '../../../public/language/en/actions.js';
import { LABELS, TITLES } from '../../../public/language/en/approvals.js';
import { READ_TITLES } from '../../../public/language/en/reads.js';
import type { Shown } from '../../actions/shared/shown.ts';
import { shortened } from '../../validation/cut-text.ts';
import type { ReadSource } from '../taint/context-reads.ts';
import { type Match, noticesOnMatches } from '../taint/matches.ts';
import type { Displayed, DisplayField } from './display-fields.ts';
import { FieldWriter } from './field-writer.ts';
import { isCautious, type Risk, riskOf } from './risk-line.ts';
import { automationFields } from './shown-automations.ts';
import { eventFields } from './shown-events.ts';
import { documentFields, fileFields } from './shown-files.ts';
import { inputFields } from './shown-input.ts';
import { mailFields } from './shown-mails.ts';
import { READS } from './shown-reads.ts';
import { type DisplayViewer, viewersOf } from './shown-viewers.ts';

/** A question as the thing itself: what happens, who sees it, what deserves attention. The user's clients show it, and nothing else has to be read. */
export interface Display {
  /** Verb and object: “Send a mail”. */
  title: string;
  /** Those who see the effect, who deserve attention first; empty: only the user. */
  viewers: DisplayViewer[];
  /** Number of viewers that are left out. */
  more: number;
  /** The mail, event, share or change in words; empty ones are left out. */
  fields: DisplayField[];
  /** One line; null: nothing deserves attention. */
  risk: Risk | null;
  /** What the line is about. */
  evidence: { notices: string[]; matches: Match[]; provenance: ReadSource[] };
  /** Text of others is repeated, or someone is not known to the user: denying comes first. */
  caution: boolean;
}

/** The fields of an action that the texts know; the others are shown by the names of their arguments. */
type FieldsOf = (input: Record<string, unknown>, shown: Shown, writer: FieldWriter, use: string) => DisplayField[];

const ROOMS: Readonly<Record<string, FieldsOf>> = {
  mail: mailFields,
  calendar: eventFields,
  documents: documentFields,
  drive: fileFields,
  automations: automationFields,
};
type Titles = Readonly<Record<string, (about: { input: unknown; shown: Shown }) => string>>;
const ALL_TITLES: Titles = { ...TITLES, ...READ_TITLES };
const MAX_TITLE = 200;

export function displayOf(question: Displayed): Display {
  const { summary, audience, provenance, matches } = question;
  const [viewers, more] = viewersOf(audience);
  const ownTitle = titleOf(question);
  const title = ownTitle ?? question.title ?? summary;
  return {
    title: shortened(title, MAX_TITLE),
    viewers,
    more,
    fields: fieldsOf(question, ownTitle !== undefined, title),
    risk: riskOf(question),
    evidence: { notices: withoutMatches(question), matches: [...matches], provenance: [...provenance] },
    caution: isCautious(question),
  };
}

/** The matches stand beside them, each with its field in words. */
function withoutMatches({ notices, matches }: Displayed): string[] {
  const onMatches = noticesOnMatches(matches);
  return notices.filter((notice) => !onMatches.includes(notice));
}

/** In words of Steward's own; undefined: it has none for the action. */
function titleOf({ use = '', input, shown = {} }: Displayed): string | undefined {
  const title = Object.hasOwn(ALL_TITLES, use) ? ALL_TITLES[use] : undefined;
  return title === undefined ? builtInName(use) : title({ input, shown });
}

/** An invitation is answered without facts, if nobody is told: its name is in the summary. */
function fieldsOf(
  { use = '', shown, summary, input, matches, zone, language }: Displayed,
  isBuiltIn: boolean,
  title: string,
): DisplayField[] {
  const writer = new FieldWriter(matches, { zone, language });
  const room = isBuiltIn ? (READS[use] ?? ROOMS[use.slice(0, use.indexOf('.'))]) : undefined;
  if (room === undefined) {
    const whole = shown?.fixed === undefined ? input : { ...(input as object), ...shown.fixed };
    return inputFields(whole, title.length > MAX_TITLE ? summary : undefined, writer);
  }
  const fields = room(input as Record<string, unknown>, shown ?? {}, writer, use);
  return shown === undefined && use === 'calendar.respond'
    ? [...writer.text('summary', LABELS.summary, summary, undefined), ...fields]
    : fields;
}
