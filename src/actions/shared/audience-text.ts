import { english } from '../../../public/language/english.js';
import type { Audience, Viewer } from '../../providers/shared/audience.ts';
import { displayAddress, quoted } from './display-text.ts';

/** Any beyond are only counted, to keep the prompt readable. */
const MAX_NAMED = 30;

/** For the approval prompt: `, which ana@example.org and anyone with the link can see`; empty if only the user can. */
export function seenBy(audience: Audience): string {
  if (audience.length === 0) return '';
  const known = audience.filter(({ kind }) => kind !== 'unknown');
  const shown = known.slice(0, MAX_NAMED).map(nameOf);
  const more = known.length - shown.length;
  const others = known.length < audience.length ? ['possibly others'] : [];
  const who = english.list([...shown, ...(more > 0 ? [`${more} more`] : []), ...others]);
  return `, which ${who} can see`;
}

function nameOf(viewer: Viewer): string {
  if (viewer.kind === 'domain') return `everyone at ${quoted(viewer.domain)}`;
  if (viewer.kind === 'service') return `${quoted(viewer.name)} at ${quoted(viewer.host)}`;
  if (viewer.kind === 'group') return `the group ${displayAddress(viewer.address)}`;
  return viewer.kind === 'person' ? displayAddress(viewer.address) : 'anyone with the link';
}
