import { NOTICES, RISKS } from '../../../public/language/en/approvals.js';
import { english } from '../../../public/language/english.js';
import type { Formatter } from '../../../public/language/formatter.js';
import { displayAddress, quoted } from '../../actions/shared/display-text.ts';
import type { Taint } from '../../actions/shared/labels.ts';
import { formatterFor, selectPreferences } from '../../preferences/preferences-repository.ts';
import type { Audience, Viewer } from '../../providers/shared/audience.ts';
import { distinctBy } from '../../validation/distinct-by.ts';
import { addressKey } from '../../validation/email-address.ts';
import { ActionRun, type RunDeps } from '../call/action-run.ts';
import { type Call, changesSomething } from '../call/call.ts';
import { isInPerson } from '../call/context-name.ts';
import type { Question } from '../display/display-fields.ts';
import type { Assessment } from '../policy/gate.ts';
import { subjectsOf } from '../policy/open-questions.ts';
import { isNamed, type ShownViewer } from '../policy/shown-viewer.ts';
import { type ContextReads, type ReadSource, readSource } from '../taint/context-reads.ts';
import { compare, noticesOnMatches } from '../taint/matches.ts';
import { namedThings } from '../taint/named-things.ts';
import type { WrittenItems } from '../taint/written-items.ts';

/** What the user reads before deciding. */
export interface ApprovalPrompt extends Question {
  /** Of the facts that it is about; not shown. */
  version?: string | undefined;
}

export interface ApprovalPromptDeps extends RunDeps {
  reads: ContextReads;
  written: WrittenItems;
}

/** Any beyond are only counted, to keep the question readable. */
const MAX_NAMED = 10;
const MAX_AUTHORS = 3;
const MAX_SHOWN = 20;

/** Describes a call to the user who decides on it; reads names and relations from the provider, as far as they can be read. */
export async function approvalPromptOf(deps: ApprovalPromptDeps, call: Call, assessment: Assessment): Promise<ApprovalPrompt> {
  const { taint, named: labelsOfNamed } = assessment;
  const { action } = call.configured;
  const others = peopleIn(assessment.audience).filter((address) => !call.ownAddresses.includes(address));
  const [summary, shown, written, read, changedAt] = await Promise.all([
    new ActionRun(deps, { ...call, taint }).summary(assessment),
    new ActionRun(deps, { ...call, taint }).shown(assessment),
    others.length === 0 ? new Map<string, boolean>() : new ActionRun(deps, call).writtenTo(others),
    taint.isTainted || taint.isFinancial ? deps.reads.of(call) : [],
    // The user knows what the user has changed.
    isInPerson(call) ? undefined : deps.written.changedAt(call, assessment.facts),
  ]);
  // Of a file of the user's that others see, its name may be theirs.
  const reads = read.map(({ author, ...rest }) => (author === undefined || isOwn(call, author) ? rest : { author, ...rest }));
  const audience = assessment.audience.map((viewer): ShownViewer => {
    const shown = withRelation(viewer, call.ownAddresses, written);
    return isNamed(call, viewer) ? { ...shown, named: true } : shown;
  });
  const sources = distinctBy(reads.map(readSource), ({ action, author, name, time }) => JSON.stringify([action, author, name, time]));
  const { matches: repeated, isComplete } = compare(call.input, reads);
  const about = new Set(subjectsOf(call, assessment.facts));
  const matches = [...repeated, ...(changesSomething(call.configured) ? namedThings(shown, about, reads) : [])];
  return {
    use: action.isDeclared ? undefined : action.name,
    title: action.title,
    shown,
    summary,
    audience,
    notices: [
      ...noticesOn(audience, written !== undefined),
      ...noticesOnReading(taint, sources, labelsOfNamed.isTainted),
      ...(assessment.hasReadElsewhere ? noticesOnTelling(audience) : []),
      ...(changedAt === undefined ? [] : [noticeOnChange(call, changedAt, formatterFor(await selectPreferences(deps.db, call.userId)))]),
      ...noticesOnMatches(matches),
      ...(isComplete ? [] : [NOTICES.incomplete]),
    ],
    provenance: sources.slice(0, MAX_SHOWN),
    matches,
    version: assessment.version,
  };
}

function isOwn({ ownAddresses }: Call, author: string): boolean {
  return ownAddresses.includes(addressKey(author));
}

function peopleIn(audience: Audience): string[] {
  return audience.flatMap((viewer) => (viewer.kind === 'person' ? [viewer.address] : []));
}

function withRelation(viewer: Viewer, own: readonly string[], written: ReadonlyMap<string, boolean> | undefined): ShownViewer {
  if (viewer.kind !== 'person') return viewer;
  if (own.includes(viewer.address)) return { ...viewer, relation: 'own' };
  const isKnown = written?.get(viewer.address);
  if (isKnown === undefined) return viewer;
  return { ...viewer, relation: isKnown ? 'written_to' : 'new' };
}

/** @param isRead whether the sent messages could be read */
function noticesOn(audience: readonly ShownViewer[], isRead: boolean): string[] {
  const addressesOf = (relation: ShownViewer['relation']) =>
    audience.flatMap((viewer) => (viewer.kind === 'person' && viewer.relation === relation ? [viewer.address] : []));
  const [strangers, unchecked] = [addressesOf('new'), addressesOf(undefined)];
  const has = (kind: Viewer['kind']) => audience.some((viewer) => viewer.kind === kind);
  return [
    ...(strangers.length > 0 ? [RISKS.strangers(named(strangers), 0)] : []),
    ...(isRead && unchecked.length > 0 ? [RISKS.unchecked(named(unchecked))] : []),
    ...(has('anyone') ? [RISKS.anyone] : []),
    ...(has('unknown') ? [RISKS.unknown] : []),
  ];
}

/** @param isOfOthers what the call names was written after others' text was read */
function noticesOnReading({ isTainted, isFinancial }: Taint, sources: readonly ReadSource[], isOfOthers: boolean): string[] {
  const authors = [...new Set(sources.map(({ author }) => author))];
  const named = authors.filter((author) => author !== undefined).slice(0, MAX_AUTHORS);
  const whose = english.list([...named.map(quoted), ...(authors.length > named.length ? [NOTICES.others] : [])]);
  // The context is marked before a result arrives, which may turn out to be the user's own: then it has no sources.
  const words = sources.length > 0 ? [NOTICES.read(whose)] : isOfOthers ? [NOTICES.writtenAfter] : [];
  return [
    ...(isTainted ? words : []),
    ...(isFinancial ? [NOTICES.bank] : []),
    ...(sources.length > MAX_SHOWN ? [NOTICES.listed(MAX_SHOWN, sources.length)] : []),
  ];
}

/** The question about a call whose tool has changed since the user was first asked. */
export function redefined(prompt: ApprovalPrompt): ApprovalPrompt {
  return { ...prompt, notices: [...prompt.notices, NOTICES.redefined] };
}

/** A read is asked about because of whom its arguments are told. */
function noticesOnTelling(audience: readonly ShownViewer[]): string[] {
  return audience.flatMap((viewer) => (viewer.kind === 'service' ? [NOTICES.elsewhere(quoted(viewer.name))] : []));
}

/** What is asked about may have become what it is by the caller that asks. */
function noticeOnChange({ client }: Call, at: Date, formatter: Formatter): string {
  const time = formatter.zonedTime(at.getTime());
  return client === undefined ? NOTICES.changedHere(time) : NOTICES.changedByApp(time);
}

function named(addresses: readonly string[]): string {
  const shown = addresses.slice(0, MAX_NAMED).map(displayAddress);
  const more = addresses.length - shown.length;
  return english.list([...shown, ...(more > 0 ? [NOTICES.more(more)] : [])], 'disjunction');
}
