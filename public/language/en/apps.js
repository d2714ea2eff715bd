/** Texts of Connected apps. */
export const apps = {
  title: 'Connected apps',
  about: 'Assistants and scripts that act for you. None of them can approve calls, connect or disconnect accounts, or make tokens.',
  list: 'Apps and tokens',
  none: 'No app is connected.',
  kinds: { oauth: 'app', token: 'token' },
  disconnect: 'Disconnect',
  disconnectQuestion: (name) => `Disconnect “${name}”?`,
  disconnectMeans: 'It can no longer call anything. Its pending approvals are cancelled.',
  disconnected: (name) => `“${name}” is disconnected.`,
  token: (lastFour) => `Token …${lastFour}.`,
  unused: 'Not used yet.',
  lastUsed: (time) => `Last used ${time}.`,
  lastUsedFor: (time, action) => `Last used ${time}: ${action}.`,
};

/** What an app may do: “May read Mail and Calendar (List events) on all accounts, until 3 March 2027.” */
export const permission = {
  sentence: ({ access, scope, accounts, until }) => `May ${ACCESS[access] ?? access} ${scope} on ${accounts}, until ${until}.`,
  everything: 'everything',
  some: (group, actions) => `${group} (${actions.join(', ')})`,
  allAccounts: 'all accounts',
  allExcept: (names) => `all accounts except ${names}`,
  noAccount: 'no account that is still connected',
};
const ACCESS = { read: 'read', write: 'read and change' };

/** The card that says how an app is connected. */
export const connectApp = {
  title: 'Connect an app',
  about: 'Assistants call the actions as tools of the Model Context Protocol, at this address:',
  address: 'the address',
  app: 'App',
  signIn: 'By sign-in',
  signInAbout: 'The app opens a browser. You sign in there and choose what it may do.',
  token: 'With a token',
  tokenAbout:
    'The token may call all actions on all accounts for 90 days; below, you can make one that may do less. Making one requires a sign-in within the last five minutes.',
  access: 'Access',
  accesses: { read: 'Read only', write: 'Read and write' },
  make: 'Make a token for it',
  made: (name) => `The token “${name}” is in the lines below. Copy it now; it won’t be shown again.`,
  bySignIn: (name) => `${name} by sign-in`,
  withToken: (name) => `${name} with a token`,
  lines: (what) => `Lines for ${what}`,
};

/** The steps by which an app is connected. */
export const steps = {
  anotherApp: 'Another app',
  run: 'Run:',
  addedBefore: (command) => `If it was added before, run “${command}” first.`,
  codexOpens: 'Run this. It opens the browser:',
  codexAgain: 'To sign in again later:',
  codexVariable: 'Set the variable wherever Codex is started:',
  codexUnchecked: '“codex mcp list” does not check the token: ask Codex to call something.',
  vsCodeFile: 'Run “MCP: Open User Configuration” in VS Code, and add:',
  vsCodeStart: 'Press “Start” above the entry, and allow the sign-in.',
  vsCodePaste: 'Press “Start” above the entry, and paste the token when VS Code asks for it:',
  vsCodeToken: 'Steward token',
  cursorFile: 'Add to ~/.cursor/mcp.json:',
  cursorConnect: 'Press “Connect” beside it in Cursor’s settings for MCP.',
  cursorSignIn: 'Cursor may ask for a sign-in nevertheless, because this service offers one. Sign in then, and disconnect the token.',
  inspectorRun: 'Run this, open the address that it prints, and switch the server on:',
  inspectorBrowser: 'In the browser, where you switch the server on:',
  inspectorTerminal: 'Or in the terminal:',
  otherSignIn: 'Enter the address. Choose Streamable HTTP as the transport and OAuth for authentication, without a client id or secret:',
  otherReach:
    'Claude and ChatGPT in the browser, on the desktop and on phones call from their vendor’s network. They need a public https address.',
  otherAddress: 'Enter the address:',
  otherHeader: 'Let the app send this header with every request:',
};

/** The card that makes personal access tokens. */
export const tokens = {
  title: 'Personal access tokens',
  about:
    'For scripts and assistants. A token can list and call the actions it names. Making one requires a sign-in within the last five minutes.',
  name: 'Name',
  example: 'Morning digest',
  actions: 'Actions',
  patterns: '*, all actions of a group (mail.*) or one action (calendar.list), separated by spaces.',
  days: 'Days',
  make: 'Make a token',
  made: (name) => `This is the token of ${name}. Copy it now; it won’t be shown again: `,
  copy: (name) => `the token of ${name}`,
};
