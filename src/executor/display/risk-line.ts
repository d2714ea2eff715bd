import { RISKS, sourceOf } from '../../../public/language/en/approvals.js';
import { english } from '../../../public/language/english.js';
import { nameOfAddress } from '../../../public/language/names.js';
import { displayAddress, quoted } from '../../actions/shared/display-text.ts';
import type { ShownViewer } from '../policy/shown-viewer.ts';
import { type Match, THING } from '../taint/matches.ts';
import type { Question } from './display-fields.ts';
import { toneOf } from './shown-viewers.ts';

/** One line on what deserves attention. */
export interface Risk {
  text: string;
  /** `warning`: see `caution`; `notice`: it is good to know. */
  level: 'warning' | 'notice';
}

type Risky = Pick<Question, 'audience' | 'matches' | 'notices'>;

const MAX_NAMED = 3;

/** What deserves most attention, in one line. */
export function riskOf(question: Risky): Risk | null {
  const { audience, matches, notices } = question;
  const risky = matches.filter((match) => !isKnownAddress(match, audience));
  const text = matchesLine(risky.filter(isPart)) ?? thingsLine(risky) ?? viewersLine(audience) ?? notices[0] ?? matchesLine(matches);
  if (text === undefined) return null;
  return { text, level: isCautious(question) ? 'warning' : 'notice' };
}

/** Whether denying comes first. An address that the user has written to may be repeated from where it was read. */
export function isCautious({ audience, matches }: Pick<Question, 'audience' | 'matches'>): boolean {
  return (
    audience.some((viewer) => ['new', 'unknown'].includes(toneOf(viewer))) || matches.some((match) => !isKnownAddress(match, audience))
  );
}

function isKnownAddress({ text }: Match, audience: readonly ShownViewer[]): boolean {
  const address = text.toLowerCase();
  return audience.some((viewer) => viewer.kind === 'person' && viewer.address === address && ['known', 'own'].includes(toneOf(viewer)));
}

/** “The address and 5 passages come from a mail by Ledger Services.” */
function matchesLine(matches: readonly Match[]): string | undefined {
  const [first] = matches;
  if (first === undefined) return undefined;
  const addresses = matches.filter(({ text }) => /^[^\s@]+@[^\s@]+$/.test(text)).length;
  return RISKS.matches({ addresses, passages: matches.length - addresses, source: writtenBy(matches) });
}

/** ““Clase de español” is named in a mail by “Ledger Services”.” */
function thingsLine(matches: readonly Match[]): string | undefined {
  const things = matches.filter((match) => !isPart(match));
  const [first] = things;
  return first && RISKS.things({ name: quoted(first.text), more: things.length - 1, source: writtenBy(things) });
}

/** Of the arguments; else it is the name of what they name. */
const isPart = ({ field }: Match) => field !== THING;

function writtenBy(matches: readonly Match[]): string {
  const rooms = new Set(matches.map(({ action }) => action.slice(0, action.indexOf('.'))));
  const authors = [...new Set(matches.map(({ author }) => author))].map((author) => author && quoted(nameOfAddress(author)));
  return sourceOf(rooms.size === 1 ? [...rooms][0] : 'text', authors);
}

function viewersLine(audience: readonly ShownViewer[]): string | undefined {
  const people = audience.flatMap((viewer) => (viewer.kind === 'person' ? [viewer] : []));
  const strangers = people.filter(({ relation }) => relation === 'new');
  const lookalikes = people.filter(({ address, relation }) => relation !== 'own' && isForeign(address));
  if (audience.some(({ kind }) => kind === 'anyone')) return RISKS.anyone;
  if (lookalikes.length > 0) return RISKS.lookalikes(named(lookalikes));
  const unchecked = people.filter(({ relation }) => relation === undefined);
  if (strangers.length > 0) return RISKS.strangers(named(strangers), unchecked.length);
  if (audience.some(({ kind }) => kind === 'unknown')) return RISKS.unknown;
  const groups = audience.flatMap((viewer) => {
    if (viewer.kind === 'group') return [viewer];
    return viewer.kind === 'domain' ? [{ address: viewer.domain }] : [];
  });
  if (groups.length > 0) return RISKS.groups(named(groups, 'conjunction'));
  if (unchecked.length > 0) return RISKS.unchecked(named(unchecked));
  const services = audience.flatMap((viewer) => (viewer.kind === 'service' ? [quoted(viewer.name)] : []));
  return services.length > 0 ? RISKS.services(english.list(services)) : undefined;
}

/** Letters that aren't plain Latin ones can look like these, also where a domain encodes them (RFC 5890). */
function isForeign(address: string): boolean {
  return /[^\x20-\x7e]|[@.]xn--/i.test(address);
}

function named(people: readonly { address: string }[], type: 'conjunction' | 'disjunction' = 'disjunction'): string {
  const shown = people.slice(0, MAX_NAMED).map(({ address }) => displayAddress(address));
  const more = people.length - shown.length;
  return english.list([...shown, ...(more > 0 ? [`${more} more`] : [])], type);
}
