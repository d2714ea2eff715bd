import { apps } from '../../language/en/apps.js';
import { gone } from '../../language/en/frame.js';
import { namedEntry } from '../page/page-entry.js';
import { together } from '../page/page-store.js';
import { clientsCard } from './clients-card.js';
import { connectClientCard } from './connect-client-card.js';
import { tokenCard } from './token-card.js';

/** Connected apps and personal access tokens: what each may do; connect, disconnect. */
export const connectedAppsView = {
  name: 'apps',
  title: apps.title,
  about: apps.about,
  /** `#apps/<id>` names one. */
  mount(root, session, page) {
    const list = clientsCard(session);
    const known = together(session.clients, session.accounts);
    const { node, shown } = namedEntry(root, page, { store: known, gone: gone.client, home: 'apps' });
    root.append(node, list, connectClientCard(session), tokenCard(session));
    return { shown };
  },
};
