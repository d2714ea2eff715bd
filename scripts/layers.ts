// The import rules of the repository, stated once: scripts/checks/check-imports.ts checks them, docs/architecture.md shows them.

interface Layer {
  /** A folder or file directly below src → its contents. */
  rooms: Record<string, string>;
  /** Whether its rooms may import one another. */
  isMutual?: boolean;
}

interface Only {
  /** How docs/architecture.md names it. */
  what: string;
  modules: RegExp;
  /** Rooms whose files may all import it. */
  rooms: string[];
  /** Ends of the names of files, or paths, that may import it as well. */
  files: string[];
}

/** A room imports rooms of lower layers only; index = layer. */
export const LAYERS: Layer[] = [
  {
    isMutual: true,
    rooms: {
      config: 'settings and their loader',
      clock: 'the clock, and polls',
      'errors.ts': 'the one error class',
      'node-http.ts': 'Node’s HTTP modules, loaded in parts',
      'principal.ts': 'on whose behalf a request is made',
      observability: 'logger, log context, telemetry',
      outbound: 'requests to hosts that others choose, with the check of their addresses',
      'rate-limit': 'limits of requests, bodies and maps',
      'off-thread': 'work off the main thread',
      concurrency: 'what runs at the same time, and what is done once',
      validation: 'validation and its messages',
    },
  },
  {
    rooms: {
      crypto: 'envelope encryption and master keys',
      database: 'pool, migrations, transfer',
      http: 'endpoints, middleware, limits, OpenAPI',
      identity: 'verification of ID tokens',
      jobs: 'the job queue',
      providers: 'one descriptor for each provider, with its SDK',
    },
  },
  {
    rooms: {
      events: 'the event feed',
      preferences: 'time zone, language and name of a user',
      replicas: 'which processes are running',
      vault: 'encrypted grants, refresh, revocation, key rotation',
    },
  },
  { rooms: { connections: 'OAuth flows that connect accounts, whatever the provider' } },
  { rooms: { actions: 'built-in actions: one folder for each agent' } },
  { rooms: { sources: 'connections to other MCP servers, and their tools' } },
  { rooms: { integrations: 'the integrations file, its declarations, the catalog' } },
  { rooms: { executor: 'one call: checks, approvals, idempotency, audit' } },
  { rooms: { tools: 'actions as tools of models, in each vendor’s form' } },
  { rooms: { assistant: 'the assistant: conversations, models, runs' } },
  {
    rooms: {
      approvals: 'approvals over HTTP, and their pages',
      automations: 'schedules and events that start runs',
      bank: 'bank items and webhooks',
      chat: 'the assistant over HTTP',
      clients: 'personal access tokens, connected apps, actions over HTTP',
      health: 'health endpoints',
      home: 'the home page',
      mcp: 'actions as a server of the Model Context Protocol',
      notifications: 'telling the user elsewhere: mail, web push, webhooks',
      operator: 'how the service is doing, for its operators',
      oauth: 'the authorization server of MCP clients, and its consent page',
      'sign-in': 'signing in to the service’s own pages, their sessions',
      socket: 'the WebSocket interface',
      users: 'sessions, export, deletion, audit pages',
      waitlist: 'the waitlist',
      workspace: 'workspace accounts and their OAuth flow',
    },
  },
  {
    isMutual: true,
    rooms: {
      'app.ts': 'routers and middleware in order',
      cli: 'operator commands',
      'context.ts': 'what the process shares',
      'main.ts': 'the entry',
      metrics: 'Prometheus metrics',
      'server.ts': 'start and stop',
      'start-telemetry.ts': 'metrics and traces',
      startup: 'what runs once',
      tracing: 'OpenTelemetry traces',
      'workers.ts': 'background work',
    },
  },
];

/** Modules that few files may import. */
export const ONLYS: Only[] = [
  { what: '`express`', modules: /^express(\/|$)/, rooms: ['app.ts', 'http'], files: ['-routes.ts'] },
  { what: '`ws`', modules: /^ws(\/|$)/, rooms: ['server.ts', 'socket'], files: [] },
  { what: 'the root of `googleapis`, which loads all of the provider’s APIs', modules: /^googleapis$/, rooms: [], files: [] },
  {
    what: 'vendor SDKs',
    modules: /^(firebase-admin|googleapis|@googleapis|google-auth-library|openid-client|plaid)(\/|$)/,
    rooms: ['identity', 'providers'],
    files: [],
  },
  { what: 'the MCP SDK’s server', modules: /^@modelcontextprotocol\/(?!client)/, rooms: ['mcp', 'sandbox'], files: [] },
  { what: 'the MCP SDK’s client', modules: /^@modelcontextprotocol\/client(\/|$)/, rooms: ['providers'], files: [] },
  { what: 'the AI SDK', modules: /^(ai|@ai-sdk)(\/|$)/, rooms: ['assistant'], files: [] },
  {
    what: 'libraries that send to users',
    modules: /^(nodemailer|web-push|standardwebhooks)(\/|$)/,
    rooms: ['notifications', 'actions', 'sandbox'],
    files: [],
  },
  { what: '`oidc-provider`', modules: /^oidc-provider(\/|$)/, rooms: ['oauth'], files: [] },
  { what: 'the AWS SDK', modules: /^@aws-sdk\//, rooms: [], files: ['src/crypto/aws-kms.ts'] },
  { what: '`node:process`', modules: /^(node:)?process$/, rooms: [], files: [] },
];

/** Folders of more than {@link MOST_FILES} files, each with its reason. */
export const MOST_FILES = 20;
export const LARGE_FOLDERS: Record<string, string> = {
  'src/actions/calendar': 'one agent; folders are two deep',
  'src/actions/mail': 'one agent; folders are two deep',
  'src/providers/workspace': 'one provider; folders are two deep',
};
/** The one file that reads `process.env`. */
export const ENVIRONMENT_READER = 'src/config/load-config.ts';
/** What the sandbox may import from src, besides layer 0. */
export const SANDBOX_IMPORTS = ['http'];
/** How dates, names and amounts are written: for the console, the service and the sandbox. It imports nothing. */
export const LANGUAGE = 'public/language/';
/**
 * Files outside of it that use the machine's formats, each with its reason. The formats of the language module have the locale and
 * the zone of who reads them.
 */
export const OWN_FORMATS: Record<string, string> = {};
/** It may import the sandbox. */
export const SANDBOX_LOADER = 'src/main.ts';
/** Files that take time from the machine, each with its reason. */
export const BY_THE_MACHINE: Record<string, string> = {
  'src/cli/discover-tools.ts': 'a command has nothing to inject from',
  'src/cli/keys-deps.ts': 'a command has nothing to inject from',
  'src/cli/session.ts': 'a command has nothing to inject from',
  'src/database/database.ts': 'its default, for commands',
  'src/database/statement-batcher.ts': 'gathers over a few turns of the event loop',
  'src/main.ts': 'stops a process that hangs',
  'src/oauth/entries/entry-adapter.ts': 'the library judges by the machine’s date',
  'src/rate-limit/admission.ts': 'measures the event loop',
  'src/server.ts': 'its default',
  'src/off-thread/off-thread.ts': 'its default',
  'src/off-thread/own-thread.ts': 'watches the memory of a thread',
};

/** The part of the repository that has its own imports: a folder or file directly below src, or another folder of the root. */
export function roomOf(file: string): string {
  const [top = '', room = ''] = file.split('/');
  return top === 'src' ? room : top;
}

export function sentenceOf({ what, rooms, files }: Only): string {
  const importers = [...rooms, ...files].map((name) => `\`${name}\``);
  return importers.length === 0 ? `No file imports ${what}` : `Only ${new Intl.ListFormat('en').format(importers)} may import ${what}`;
}
