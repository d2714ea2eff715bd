import { accountsView } from './accounts/accounts-view.js';
import { activityView } from './activity-view.js';
import { agentsView } from './agents/agents-view.js';
import { approvalsView } from './approvals/approvals-view.js';
import { clientsView } from './clients/clients-view.js';
import { settingsView } from './settings/settings-view.js';
import { chatView } from './slots.js';

/** The views in the order of the navigation; page-router.js describes them. */
export const VIEWS = [
  { name: 'chat', title: 'Chat', layout: 'full', mount: chatView },
  accountsView,
  agentsView,
  approvalsView,
  activityView,
  clientsView,
  settingsView,
];
