import type { Viewer } from '../providers/audience.ts';

/** How the user knows a person: it is the user, the account has written to the address, or neither. */
export type Relation = 'own' | 'written_to' | 'new';
/** Without a relation, it couldn't be found out. */
export type ShownViewer = Viewer & { relation?: Relation };
