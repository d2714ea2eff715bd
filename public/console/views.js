import { chat } from '../language/en/chat.js';
import { accountsView } from './accounts/accounts-view.js';
import { actionsView } from './actions/actions-view.js';
import { activityView } from './activity/activity-view.js';
import { approvalsView } from './approvals/approvals-view.js';
import { automationsView } from './automations/automations-view.js';
import { chatView } from './chat/chat-view.js';
import { connectedAppsView } from './connected-apps/connected-apps-view.js';
import { notificationsView } from './notifications/notifications-view.js';
import { settingsView } from './settings/settings-view.js';

/** The views in the order of the navigation; page-router.js describes them. */
export const VIEWS = [
  { name: 'chat', title: chat.title, layout: 'full', mount: chatView },
  accountsView,
  automationsView,
  actionsView,
  approvalsView,
  activityView,
  connectedAppsView,
  notificationsView,
  settingsView,
];
