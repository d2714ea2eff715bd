// The import rules of the repository, stated once. `npm run generate` writes them into biome.imports.json, where the
// linter and editors find them, and prints the layers into CONTRIBUTING.md.

interface Layer {
  /** A folder or file directly below src → its contents. */
  rooms: Record<string, string>;
  /** Whether its rooms may import one another. */
  isMutual?: boolean;
}

interface Only {
  /** How CONTRIBUTING.md names it. */
  what: string;
  /** Module specifiers, as patterns of Biome's noRestrictedImports. */
  modules: string[];
  /** Rooms whose files may all import it. */
  rooms: string[];
  /** File names, or paths from the repository's root, that may import it as well. */
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
      observability: 'logger, log context, telemetry',
      'rate-limit': 'limits of requests, bodies and maps',
      threads: 'work off the main thread',
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
      replicas: 'which processes are running',
      vault: 'encrypted grants, refresh, revocation, key rotation',
    },
  },
  { rooms: { actions: 'built-in actions: one folder for each agent' } },
  { rooms: { integrations: 'the integrations file, its declarations, the catalog' } },
  { rooms: { executor: 'one call: checks, approvals, idempotency, audit' } },
  { rooms: { tools: 'actions as tools of models, in each vendor’s form' } },
  {
    rooms: {
      approvals: 'approvals over HTTP, and their pages',
      assistant: 'the assistant: conversations, models, runs',
      bank: 'bank items and webhooks',
      clients: 'personal access tokens, connected apps, actions over HTTP',
      health: 'health endpoints',
      home: 'the home page',
      mcp: 'actions as a server of the Model Context Protocol',
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

/** A package's root and all of its subpaths. */
const all = (name: string): string[] => [name, `${name}/**`];

/** Modules that few files may import. */
export const ONLYS: Only[] = [
  { what: '`express`', modules: all('express'), rooms: ['app.ts', 'http'], files: ['*-routes.ts'] },
  { what: '`ws`', modules: all('ws'), rooms: ['server.ts', 'socket'], files: [] },
  {
    what: 'vendor SDKs',
    modules: [
      ...all('firebase-admin'),
      ...all('googleapis'),
      '@googleapis/**',
      ...all('google-auth-library'),
      ...all('openid-client'),
      ...all('plaid'),
    ],
    rooms: ['identity', 'providers'],
    files: [],
  },
  { what: 'the MCP SDK', modules: ['@modelcontextprotocol/**'], rooms: ['mcp'], files: [] },
  { what: 'the AI SDK', modules: [...all('ai'), '@ai-sdk/**'], rooms: ['assistant'], files: [] },
  { what: '`oidc-provider`', modules: all('oidc-provider'), rooms: ['oauth'], files: [] },
  { what: 'the AWS SDK', modules: ['@aws-sdk/**'], rooms: [], files: ['src/crypto/aws-kms.ts'] },
  { what: 'the root of `googleapis`, which loads all of the provider’s APIs', modules: ['googleapis'], rooms: [], files: [] },
  // noProcessEnv detects the global `process` only.
  { what: '`node:process`', modules: ['process', 'node:process'], rooms: [], files: [] },
];

/** The one file that reads `process.env`. */
export const ENVIRONMENT_READER = 'src/config/load-config.ts';
/** What the sandbox may import from src, besides layer 0. */
export const SANDBOX_IMPORTS = ['http'];
