import { element } from '../kit/dom.js';
import { BankAccounts } from './bank-accounts.js';
import { WorkspaceAccounts } from './workspace-accounts.js';

/** Connected accounts: connect, reconnect, disconnect, default, read-only. */
export const accountsView = {
  name: 'accounts',
  title: 'Accounts',
  about: 'Connected once, used by every assistant. The tokens never leave this service and are encrypted with your own key.',
  mount(root, session) {
    root.append(element('div', { className: 'grid wide' }, new WorkspaceAccounts(session).card, new BankAccounts(session).card));
  },
};
