import type { Shown } from '../../actions/shared/shown.ts';
import type { ShownViewer } from '../policy/shown-viewer.ts';
import type { ReadSource } from '../taint/context-reads.ts';
import type { Match } from '../taint/matches.ts';

/** What a question says. */
export interface Question {
  /** The action's own name: of a built-in one that in `use:`. Undefined: it is declared, or the question is of an earlier version. */
  use?: string | undefined;
  /** Of the action; undefined: Steward has words of its own, or the summary is the title. */
  title?: string | undefined;
  /** What the facts tell of what it is about. */
  shown?: Shown | undefined;
  summary: string;
  audience: readonly ShownViewer[];
  /** Sentences of Steward's own that deserve attention. */
  notices: readonly string[];
  /** What others wrote and was read before in the call's context, newest first. */
  provenance: readonly ReadSource[];
  /** Parts of the arguments that repeat what others wrote. */
  matches: readonly Match[];
}

/** What is shown: the question with its arguments. */
export interface Displayed extends Question, Reader {
  input: unknown;
}

/** The user, as far as it is known. */
export interface Reader {
  /** An IANA name. */
  zone?: string | undefined;
  /** A BCP 47 tag. */
  language?: string | null | undefined;
}

/** A text with the parts that repeat what others wrote. Hidden characters are still in it: who shows it makes them visible. */
export interface DisplayText {
  text: string;
  /** From and to, in UTF-16 units. */
  marks?: [from: number, to: number][];
  /** Characters that are left out at the end. */
  omitted?: number;
}

export interface DisplayPerson {
  address: string;
  name?: string;
  /** The address repeats what others wrote. */
  marked?: true;
}

export interface DisplayFile {
  name: string;
  /** Its page at the provider, if it has one. */
  link?: string;
  /** Type and size in words. */
  note?: string;
}

interface Named {
  /** The argument that it shows, or a name of its own. */
  name: string;
  label: string;
}

/**
 * One field of a question, as people read it: `text` is a line, `block` has lines, `when` a time in the event's zone with the
 * user's own beside it, `choice` a decision in words, `change` what goes and what comes.
 */
export type DisplayField = Named &
  (
    | ({ kind: 'text' | 'block' | 'choice' } & DisplayText)
    | { kind: 'when'; text: string; local?: string }
    | { kind: 'people'; people: DisplayPerson[]; more?: number }
    | { kind: 'file'; files: DisplayFile[]; more?: number }
    | { kind: 'list'; items: DisplayText[]; more?: number }
    | { kind: 'change'; before?: DisplayText; after?: DisplayText }
  );
