import { RELATIONS, typed, VIEWERS } from '../../../public/language/en/approvals.js';
import type { ShownViewer } from '../policy/shown-viewer.ts';

/** `new`: the user has never written to them; `unknown`: it can't be told who it is, or how the user knows them. */
export type Tone = 'new' | 'unknown' | 'known' | 'own';

/** Someone who sees the effect of a call. */
export interface DisplayViewer {
  kind: ShownViewer['kind'];
  /** An address, or a domain; left out: it is no one in particular, see `name`. */
  address?: string;
  name?: string;
  /** In words. */
  relation: string;
  tone: Tone;
}

/** Those who deserve attention first, so that they are not among those that are only counted. */
const ORDER: readonly Tone[] = ['unknown', 'new', 'known', 'own'];
const KINDS: readonly ShownViewer['kind'][] = ['anyone', 'unknown', 'service', 'domain', 'group', 'person'];
const MAX_VIEWERS = 200;

/** @returns also the number of those that are left out */
export function viewersOf(audience: readonly ShownViewer[]): [viewers: DisplayViewer[], more: number] {
  const place = ({ kind, tone }: DisplayViewer) =>
    KINDS.indexOf(kind) * 10 + (kind === 'person' && tone === 'unknown' ? 1.5 : ORDER.indexOf(tone));
  const all = audience.map(viewerOf).toSorted((one, other) => place(one) - place(other));
  return [all.slice(0, MAX_VIEWERS), Math.max(0, all.length - MAX_VIEWERS)];
}

function viewerOf(viewer: ShownViewer): DisplayViewer {
  const { kind } = viewer;
  if (kind === 'anyone' || kind === 'unknown') return { kind, ...VIEWERS[kind], tone: 'unknown' };
  if (kind === 'domain') return { kind, address: viewer.domain, relation: VIEWERS.domain, tone: 'unknown' };
  if (kind === 'service') return { kind, name: `${viewer.name} (${viewer.host})`, relation: VIEWERS.service, tone: 'known' };
  if (kind === 'group') return { kind, address: viewer.address, relation: VIEWERS.group, tone: 'unknown' };
  const relation = RELATIONS[viewer.relation ?? 'unchecked'];
  return { kind, address: viewer.address, relation: viewer.named ? typed(relation) : relation, tone: toneOf(viewer) };
}

/** How far the user knows someone. */
export function toneOf(viewer: ShownViewer): Tone {
  if (viewer.kind === 'service') return 'known';
  if (viewer.kind !== 'person' || viewer.relation === undefined) return 'unknown';
  return viewer.relation === 'written_to' ? 'known' : viewer.relation;
}
