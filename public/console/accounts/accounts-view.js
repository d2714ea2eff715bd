import { accountsView as texts } from '../../language/en/accounts.js';
import { gone } from '../../language/en/frame.js';
import { element } from '../kit/dom.js';
import { namedEntry } from '../page/page-entry.js';
import { BankAccounts } from './bank-accounts.js';
import { SourceAccounts } from './source-accounts.js';
import { WorkspaceAccounts } from './workspace-accounts.js';

/** Connected accounts: connect, reconnect, disconnect, default, read-only. */
export const accountsView = {
  name: 'accounts',
  title: texts.title,
  about: texts.about,
  /** `#accounts/<id>` names one. */
  mount(root, session, page) {
    const lists = element(
      'div',
      { className: 'grid wide' },
      new WorkspaceAccounts(session).card,
      new BankAccounts(session).card,
      new SourceAccounts(session).card,
    );
    const { node, shown } = namedEntry(root, page, { store: session.accounts, gone: gone.account, home: 'accounts' });
    root.append(node, lists);
    return { shown };
  },
};
