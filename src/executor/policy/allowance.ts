import type { Destination } from '../../actions/shared/action.ts';
import type { ConfiguredAction } from '../../integrations/catalog.ts';
import type { Audience } from '../../providers/shared/audience.ts';
import { canonicalJson } from '../../validation/canonical-json.ts';
import type { Exposure } from '../call/action-run.ts';
import type { Call } from '../call/call.ts';
import { type GivenArgument, givenArguments } from './given-arguments.ts';
import { type Allowed, preapprovalObstacle } from './rule.ts';
import type { Relation, ShownViewer } from './shown-viewer.ts';

/**
 * What an allowance is for: people, servers, or a folder and the people who saw what is in it when the user allowed it; and the
 * arguments of the approved call.
 */
export interface Covered {
  /** Addresses in lower case. Without a relation, it couldn't be found out. */
  recipients: readonly { address: string; relation?: Relation }[];
  /** Hosts of servers that receive the arguments. */
  services?: readonly string[];
  folder?: Pick<Destination, 'id' | 'name'>;
  /** Others are another call: one that notifies people, or has files. Texts may differ. */
  arguments: readonly GivenArgument[];
  /**
   * Of a read, which changes nothing but tells its arguments: all of them as canonical JSON. Any other order, repetition or nesting
   * of the same values would spell a text out.
   */
  input?: string;
}

/** An allowance that is not stored yet. */
export interface NewAllowance {
  covered: Covered;
  /** Until it expires. */
  days: number;
}

/**
 * What the user allows with the approval of a call.
 *
 * @param shown the audience that the user was shown
 * @returns undefined: not everyone who sees it can be named
 */
export function coveredBy(call: Call, exposure: Exposure, shown: readonly ShownViewer[]): Covered | undefined {
  const destination = destinationOf(call, exposure);
  const audience = destination?.audience ?? exposure.audience;
  const services = servicesIn(audience);
  const recipients = audience
    .filter(({ kind }) => kind !== 'service')
    .map((viewer) =>
      shown.flatMap((one) => (one.kind === 'person' && viewer.kind === 'person' && one.address === viewer.address ? [one] : [])),
    );
  if (recipients.some((found) => found.length === 0)) return undefined;
  const people = recipients.flat().map(({ address, relation }) => ({ address, ...(relation !== undefined && { relation }) }));
  return {
    recipients: people,
    ...(services.length > 0 && { services }),
    ...(destination !== undefined && { folder: { id: destination.id, name: destination.name } }),
    arguments: argumentsOf(call, exposure),
    ...(isRead(call) && { input: canonicalJson(call.input) }),
  };
}

function isRead({ configured: { action } }: Call): boolean {
  return action.effect === 'read';
}

function argumentsOf(call: Call, { facts }: Exposure): GivenArgument[] {
  const { configured, input } = call;
  const { action } = configured;
  return givenArguments(action.input.jsonSchema, { ...(input as object), ...action.implies?.(facts) }, isRead(call));
}

function servicesIn(audience: Audience): string[] {
  return audience.flatMap((viewer) => (viewer.kind === 'service' ? [viewer.host] : []));
}

/**
 * Whether calls of an action that these see can be allowed in advance, as far as that is known before the call is checked:
 * what was read before it is not.
 */
export function mayBeAllowed({ action: { effect, provider }, policy }: ConfiguredAction, audience: Audience): boolean {
  if (audience.some(({ kind }) => kind !== 'person' && kind !== 'service')) return false;
  const unread = { isTainted: false, isFinancial: false, isAskedAbout: false };
  const situation = { policy, effect, isBank: provider === 'bank', isExposing: audience.length > 0, ...unread, allowed: 'known' } as const;
  return preapprovalObstacle(situation) === undefined;
}

/** Whether an allowance is for a call. What it is for must include everyone who sees the call, and its arguments be the same. */
export function allows(covered: Covered, call: Call, exposure: Exposure): Allowed {
  const { recipients, services = [], folder, arguments: given, input } = covered;
  if (destinationOf(call, exposure)?.id !== folder?.id) return 'none';
  if (isRead(call) && input !== canonicalJson(call.input)) return 'none';
  if (canonicalJson(given) !== canonicalJson(argumentsOf(call, exposure))) return 'none';
  if (!servicesIn(exposure.audience).every((host) => services.includes(host))) return 'none';
  const found = relationsOf(exposure.audience, recipients);
  if (found.some((relation) => relation === 'nobody')) return 'none';
  const isTold = services.length > 0 && !isRead(call) && call.configured.action.isTrusted !== true;
  return !isTold && found.every((relation) => relation === 'own' || relation === 'written_to') ? 'known' : 'new';
}

function relationsOf(audience: Audience, recipients: Covered['recipients']): (Relation | 'nobody' | undefined)[] {
  return audience
    .filter(({ kind }) => kind !== 'service')
    .map((viewer) => {
      const named = viewer.kind === 'person' ? recipients.find(({ address }) => address === viewer.address) : undefined;
      return named === undefined ? 'nobody' : named.relation;
    });
}

function destinationOf({ configured: { action } }: Call, { facts }: Exposure): Destination | undefined {
  return action.destination?.(facts);
}
