import { steps } from '../../language/en/apps.js';

/** The name under which a client lists this service. */
const NAME = 'steward';
const ADD_TO_CLAUDE = `claude mcp add --transport http --scope user ${NAME}`;
const ADD_TO_CODEX = `codex mcp add ${NAME} --url`;
// Without a version, an npx of an older Node picks 0.15, which has other options.
const INSPECTOR = 'npx @modelcontextprotocol/inspector@latest';
const ADDED_BEFORE = { text: steps.addedBefore(`claude mcp remove ${NAME} -s user`) };

const json = (value) => JSON.stringify(value, null, 2);
const header = (token) => `Authorization: Bearer ${token}`;

/**
 * What to paste into each client: `signIn(address)` without a credential, `withToken(address, token)`. Both return steps
 * `{text, code?}`. docs/mcp.md names the sources.
 */
export const CLIENTS = [
  {
    name: 'Claude Code',
    signIn: (address) => [{ text: steps.run, code: `${ADD_TO_CLAUDE} ${address}\nclaude mcp login ${NAME}` }, ADDED_BEFORE],
    withToken: (address, token) => [{ text: steps.run, code: `${ADD_TO_CLAUDE} ${address} --header "${header(token)}"` }, ADDED_BEFORE],
  },
  {
    name: 'Codex',
    signIn: (address) => [
      { text: steps.codexOpens, code: `${ADD_TO_CODEX} ${address}` },
      { text: steps.codexAgain, code: `codex mcp login ${NAME}` },
    ],
    withToken: (address, token) => [
      { text: steps.run, code: `${ADD_TO_CODEX} ${address} --bearer-token-env-var STEWARD_TOKEN` },
      { text: steps.codexVariable, code: `export STEWARD_TOKEN=${token}` },
      { text: steps.codexUnchecked },
    ],
  },
  {
    name: 'VS Code',
    signIn: (address) => [
      { text: steps.vsCodeFile, code: json({ servers: { [NAME]: { type: 'http', url: address } } }) },
      { text: steps.vsCodeStart },
    ],
    withToken: (address, token) => [
      {
        text: steps.vsCodeFile,
        code: json({
          inputs: [{ type: 'promptString', id: 'steward-token', description: steps.vsCodeToken, password: true }],
          servers: { [NAME]: { type: 'http', url: address, headers: { Authorization: `Bearer \${input:steward-token}` } } },
        }),
      },
      { text: steps.vsCodePaste, code: token },
    ],
  },
  {
    name: 'Cursor',
    signIn: (address) => [
      { text: steps.cursorFile, code: json({ mcpServers: { [NAME]: { url: address } } }) },
      { text: steps.cursorConnect },
    ],
    withToken: (address, token) => [
      { text: steps.cursorFile, code: json({ mcpServers: { [NAME]: { url: address, headers: { Authorization: `Bearer ${token}` } } } }) },
      { text: steps.cursorSignIn },
    ],
  },
  {
    name: 'MCP Inspector',
    signIn: (address) => [
      {
        text: steps.inspectorRun,
        code: `${INSPECTOR} --server-url ${address} --transport http`,
      },
    ],
    withToken: (address, token) => [
      {
        text: steps.inspectorBrowser,
        code: `${INSPECTOR} --server-url ${address} --transport http --header "${header(token)}"`,
      },
      {
        text: steps.inspectorTerminal,
        code: `${INSPECTOR} --cli ${address} --transport http --header "${header(token)}" --method tools/list`,
      },
    ],
  },
  {
    name: steps.anotherApp,
    signIn: (address) => [
      {
        text: steps.otherSignIn,
        code: address,
      },
      {
        text: steps.otherReach,
      },
    ],
    withToken: (address, token) => [
      { text: steps.otherAddress, code: address },
      { text: steps.otherHeader, code: header(token) },
    ],
  },
];
