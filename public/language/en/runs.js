/** Texts of Actions: the list, the form, the runs. */
export const actionsView = {
  title: 'Actions',
  about: 'What assistants can do with your accounts. This page calls them over the WebSocket, as your front end would.',
};

export const picker = {
  title: 'All actions',
  find: 'Find an action',
  noMatch: 'No action has these words.',
  none: 'There are no actions yet.',
  effects: { write: 'changes', destructive: 'deletes or shares' },
};

export const form = {
  title: 'Action',
  account: 'Account',
  preferred: (account) => `${account} (default)`,
  masked: (account, masks) => `${account} (…${masks.join(', …')})`,
  noAccount: 'No account is connected',
  selectAccount: 'Select an account …',
  run: 'Run',
  needsApproval: 'Needs your approval',
  accounts: 'Accounts',
  someAccount: 'account',
  notConnected: 'Not connected to the server',
  offline: 'Not connected to the server. Nothing was sent: run it again when the connection is back.',
  effects: { read: 'reads', write: 'changes', destructive: 'deletes or shares' },
  needs: {
    not_connected: 'No account for this action is connected.',
    needs_attention: 'An account for this action needs attention.',
    not_configured: 'The provider is not configured on this server.',
  },
};

export const runs = {
  title: 'Runs',
  about: 'The calls made in this tab.',
  none: 'Nothing has been run yet.',
  states: { running: 'Running', waiting: 'Waits for approval', done: 'Done', failed: 'Failed', denied: 'Not run' },
  /** How a run stands, for those who don’t see it. */
  spoken: (action, state) => `${action}: ${state}`,
  noAccount: 'no account',
  facts: (account, time, took) => `${account} · ${time}${took === undefined ? '' : ` · ${took} ms`}`,
  progress: 'Running …',
  input: 'Input',
  inputOf: (action) => `Input of ${action}`,
  copyOf: (action) => `input of ${action}`,
  asks: ['This action needs your approval. See ', '.'],
  approvals: 'Approvals',
  ownPage: 'Open its own page',
  stop: 'Stop',
};

/** How a run ended that asked for approval, and how long one takes. */
export const runEnds = {
  denied: 'Denied. The action has not run.',
  expired: 'Nobody decided in time. The action has not run.',
  ended: 'The question has ended, because something that it depends on has changed. The action has not run.',
  runningFor: (seconds) => `Running for ${seconds} s …`,
};
