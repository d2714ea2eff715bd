/** Texts of Settings. */
export const settings = {
  title: 'Settings',
  about: 'Your data, and what this service is configured to do.',
};

export const models = {
  title: 'Models',
  about: 'The models that the assistant can use, and what you have used today.',
  none: 'No model is configured on this server.',
  default: 'Default',
  standIn: 'Stand-in',
  used: (day) => `Used on ${day} (UTC)`,
  /** Of the budget. */
  of: (amounts) => amounts.join(' of '),
  budget: { runs: 'Answers', steps: 'Requests to a model', tokens: 'Tokens', seconds: 'Seconds', cost: 'Cost' },
};

export const data = {
  title: 'Your data',
  about: 'Everything that is stored about you, as one JSON file. Secrets are left out.',
  export: 'Export my data',
  exported: 'Your data is exported.',
  firstSteps: 'Show the first steps',
};

export const deletion = {
  title: 'Delete everything',
  about: 'Deletes your account, disconnects all accounts and deletes your key. You must have signed in within the last five minutes.',
  delete: 'Delete my account',
  question: 'Delete your account?',
  means: 'All workspace and bank accounts are disconnected, and your key is deleted. This cannot be undone.',
  done: 'Your account is deleted.',
};

export const readOnly = {
  title: 'Read-only accounts',
  about: 'Nothing can be changed in these accounts.',
  none: 'No account is read-only. Change this in Accounts.',
};

export const integrations = {
  title: 'Integrations',
  about: 'integrations.yaml defines what assistants may do. An invalid file changes nothing.',
  providers: { workspace: 'Workspace', bank: 'Bank' },
  notConnected: 'Not connected',
  connected: 'Connected',
  attention: (count) => `${count} need${count === 1 ? 's' : ''} attention`,
  reload: 'Reload integrations.yaml',
  reloaded: 'integrations.yaml was reloaded.',
  request: 'Request ',
  problems: 'Problems by line and column',
  more: (count) => `And ${count} more.`,
};

export const waitlist = {
  title: 'Waitlist',
  about: 'Add a mail address to the waitlist.',
  address: 'Mail address',
  add: 'Add',
  added: (address) => `${address} is on the waitlist.`,
};
