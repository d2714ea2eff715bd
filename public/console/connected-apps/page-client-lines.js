/** The name under which a client lists this service. */
const NAME = 'steward';
const ADD_TO_CLAUDE = `claude mcp add --transport http --scope user ${NAME}`;
const ADD_TO_CODEX = `codex mcp add ${NAME} --url`;
// Without a version, an npx of an older Node picks 0.15, which has other options.
const INSPECTOR = 'npx @modelcontextprotocol/inspector@latest';
const ADDED_BEFORE = { text: `If it was added before, run “claude mcp remove ${NAME} -s user” first.` };
const VS_CODE_FILE = 'Run “MCP: Open User Configuration” in VS Code, and add:';
const CURSOR_FILE = 'Add to ~/.cursor/mcp.json:';

const json = (value) => JSON.stringify(value, null, 2);
const header = (token) => `Authorization: Bearer ${token}`;

/**
 * What to paste into each client: `signIn(address)` without a credential, `withToken(address, token)`. Both return steps
 * `{text, code?}`. docs/mcp.md names the sources.
 */
export const CLIENTS = [
  {
    name: 'Claude Code',
    signIn: (address) => [{ text: 'Run:', code: `${ADD_TO_CLAUDE} ${address}\nclaude mcp login ${NAME}` }, ADDED_BEFORE],
    withToken: (address, token) => [{ text: 'Run:', code: `${ADD_TO_CLAUDE} ${address} --header "${header(token)}"` }, ADDED_BEFORE],
  },
  {
    name: 'Codex',
    signIn: (address) => [
      { text: 'Run this. It opens the browser:', code: `${ADD_TO_CODEX} ${address}` },
      { text: 'To sign in again later:', code: `codex mcp login ${NAME}` },
    ],
    withToken: (address, token) => [
      { text: 'Run:', code: `${ADD_TO_CODEX} ${address} --bearer-token-env-var STEWARD_TOKEN` },
      { text: 'Set the variable wherever Codex is started:', code: `export STEWARD_TOKEN=${token}` },
      { text: '“codex mcp list” does not check the token: ask Codex to call something.' },
    ],
  },
  {
    name: 'VS Code',
    signIn: (address) => [
      { text: VS_CODE_FILE, code: json({ servers: { [NAME]: { type: 'http', url: address } } }) },
      { text: 'Press “Start” above the entry, and allow the sign-in.' },
    ],
    withToken: (address, token) => [
      {
        text: VS_CODE_FILE,
        code: json({
          inputs: [{ type: 'promptString', id: 'steward-token', description: 'Steward token', password: true }],
          servers: { [NAME]: { type: 'http', url: address, headers: { Authorization: `Bearer \${input:steward-token}` } } },
        }),
      },
      { text: 'Press “Start” above the entry, and paste the token when VS Code asks for it:', code: token },
    ],
  },
  {
    name: 'Cursor',
    signIn: (address) => [
      { text: CURSOR_FILE, code: json({ mcpServers: { [NAME]: { url: address } } }) },
      { text: 'Press “Connect” beside it in Cursor’s settings for MCP.' },
    ],
    withToken: (address, token) => [
      { text: CURSOR_FILE, code: json({ mcpServers: { [NAME]: { url: address, headers: { Authorization: `Bearer ${token}` } } } }) },
      { text: 'Cursor may ask for a sign-in nevertheless, because this service offers one. Sign in then, and disconnect the token.' },
    ],
  },
  {
    name: 'MCP Inspector',
    signIn: (address) => [
      {
        text: 'Run this, open the address that it prints, and switch the server on:',
        code: `${INSPECTOR} --server-url ${address} --transport http`,
      },
    ],
    withToken: (address, token) => [
      {
        text: 'In the browser, where you switch the server on:',
        code: `${INSPECTOR} --server-url ${address} --transport http --header "${header(token)}"`,
      },
      {
        text: 'Or in the terminal:',
        code: `${INSPECTOR} --cli ${address} --transport http --header "${header(token)}" --method tools/list`,
      },
    ],
  },
  {
    name: 'Another app',
    signIn: (address) => [
      {
        text: 'Enter the address. Choose Streamable HTTP as the transport and OAuth for authentication, without a client id or secret:',
        code: address,
      },
      {
        text: 'Claude and ChatGPT in the browser, on the desktop and on phones call from their vendor’s network. They need a public https address.',
      },
    ],
    withToken: (address, token) => [
      { text: 'Enter the address:', code: address },
      { text: 'Let the app send this header with every request:', code: header(token) },
    ],
  },
];
