import { displayAddress, quoted } from '../actions/display-text.ts';
import type { Audience, Viewer } from '../providers/audience.ts';
import { ActionRun, type RunDeps } from './action-run.ts';
import type { Call } from './call.ts';
import type { Assessment } from './gate.ts';
import type { ReadSource, Taint } from './taint.ts';

/** How the user knows a person: it is the user, the account has written to the address, or neither. */
export type Relation = 'own' | 'written_to' | 'new';
/** Without a relation, it couldn't be found out. */
export type ShownViewer = Viewer & { relation?: Relation };

/** What the user reads before deciding. */
export interface Question {
  summary: string;
  audience: readonly ShownViewer[];
  /** Sentences of Steward's own that deserve attention. */
  notices: readonly string[];
  /** What others wrote and was read before in the call's context, newest first. */
  provenance: readonly ReadSource[];
  /** Of the facts that it is about; not shown. */
  version?: string | undefined;
}

/** Any beyond are only counted, to keep the question readable. */
const MAX_NAMED = 10;
const MAX_AUTHORS = 3;

/** Describes a call to the user who decides on it; reads names and relations from the provider, as far as they can be read. */
export async function questionOf(deps: RunDeps, call: Call, assessment: Assessment): Promise<Question> {
  const others = addressesIn(assessment.audience).filter((address) => !call.ownAddresses.includes(address));
  const [summary, written] = await Promise.all([
    new ActionRun(deps, call).summary(assessment),
    others.length === 0 ? new Set<string>() : new ActionRun(deps, call).writtenTo(others),
  ]);
  const audience = assessment.audience.map((viewer): ShownViewer => withRelation(viewer, call.ownAddresses, written));
  const { taint, version } = assessment;
  const notices = [...noticesOn(audience), ...noticesOnReading(taint)];
  return { summary, audience, notices, provenance: taint.sources, version };
}

function addressesIn(audience: Audience): string[] {
  return audience.flatMap((viewer) => (viewer.kind === 'person' ? [viewer.address] : []));
}

function withRelation(viewer: Viewer, own: readonly string[], written: ReadonlySet<string> | undefined): ShownViewer {
  if (viewer.kind !== 'person') return viewer;
  if (own.includes(viewer.address)) return { ...viewer, relation: 'own' };
  if (written === undefined) return viewer;
  return { ...viewer, relation: written.has(viewer.address) ? 'written_to' : 'new' };
}

function noticesOn(audience: readonly ShownViewer[]): string[] {
  const strangers = audience.flatMap((viewer) => (viewer.kind === 'person' && viewer.relation === 'new' ? [viewer.address] : []));
  const has = (kind: Viewer['kind']) => audience.some((viewer) => viewer.kind === kind);
  return [
    ...(strangers.length > 0 ? [`You have not written to ${named(strangers)} before.`] : []),
    ...(has('anyone') ? ['Anyone with the link will see this.'] : []),
    ...(has('unknown') ? ['It could not be read who else will see this.'] : []),
  ];
}

function noticesOnReading({ isTainted, isFinancial, sources }: Taint): string[] {
  const authors = [...new Set(sources.flatMap(({ author }) => author ?? []))].slice(0, MAX_AUTHORS).map((author) => quoted(author));
  const whose =
    authors.length === 0
      ? 'others'
      : new Intl.ListFormat('en').format([...authors, ...(sources.length > authors.length ? ['others'] : [])]);
  return [
    ...(isTainted ? [`Before this, text by ${whose} was read, which may have asked for it.`] : []),
    ...(isFinancial ? ['Before this, data of a bank was read.'] : []),
  ];
}

function named(addresses: readonly string[]): string {
  const shown = addresses.slice(0, MAX_NAMED).map(displayAddress);
  const more = addresses.length - shown.length;
  return new Intl.ListFormat('en', { type: 'disjunction' }).format([...shown, ...(more > 0 ? [`${more} more`] : [])]);
}
