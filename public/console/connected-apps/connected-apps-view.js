import { clientsCard } from './clients-card.js';
import { connectClientCard } from './connect-client-card.js';
import { tokenCard } from './token-card.js';

/** Connected apps and personal access tokens: what each may do; connect, disconnect. */
export const connectedAppsView = {
  name: 'apps',
  title: 'Connected apps',
  about: 'Assistants and scripts that act for you. None of them can approve calls, connect or disconnect accounts, or make tokens.',
  mount(root, session) {
    root.append(clientsCard(session), connectClientCard(session), tokenCard(session));
  },
};
