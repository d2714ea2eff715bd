import type { Viewer } from '../../providers/shared/audience.ts';
import type { Call } from '../call/call.ts';

/** How the user knows a person: it is the user, the account has written to the address, or neither. */
export type Relation = 'own' | 'written_to' | 'new';
/** Without a relation, it couldn't be found out. `named`: the user typed the address in the thread whose assistant asks. */
export type ShownViewer = Viewer & { relation?: Relation; named?: true };

/** Whether the user typed a person's address in the thread in which the assistant calls. */
export function isNamed({ named }: Pick<Call, 'named'>, viewer: Viewer): boolean {
  return viewer.kind === 'person' && named.has(viewer.address);
}

/** The addresses that a question showed as typed by the user. */
export function namedAmong(audience: readonly ShownViewer[]): string[] {
  return audience.flatMap((viewer) => (viewer.kind === 'person' && viewer.named === true ? [viewer.address] : []));
}
