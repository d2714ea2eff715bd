import { z } from 'zod';

const positive = z.coerce
  .number('must be a whole number above 0')
  .int('must be a whole number above 0')
  .positive('must be a whole number above 0');
const flag = z.enum(['0', '1', 'true', 'false']).transform((value) => value === '1' || value === 'true');
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
const PORT = 'must be a number from 0 to 65535';
const port = z.coerce.number(PORT).int(PORT).min(0, PORT).max(65535, PORT);

/** Every variable the service reads; .env.example describes them. */
export const variables = z.object({
  NODE_ENV: z.enum(['development', 'production'], 'must be development or production').default('development'),
  HOST: z.string().default('127.0.0.1'),
  PORT: port.default(8080),
  PUBLIC_URL: z.string().optional(),
  SITE_URL: z.string().optional(),
  DATABASE_URL: z.string().optional(),
  DATA_DIR: z.string().default('.data'),
  MASTER_KEYS: z.string().optional(),
  MASTER_KEYS_FILE: z.string().optional(),
  FIREBASE_PROJECT_ID: z.string().optional(),
  GOOGLE_APPLICATION_CREDENTIALS: z.string().optional(),
  FIREBASE_AUTH_EMULATOR_HOST: z.string().optional(),
  OIDC_ISSUER: z.string().optional(),
  OIDC_AUDIENCE: z.string().optional(),
  ALLOWED_USERS: list.default([]),
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  GOOGLE_AUTH_URL: z.string().default('https://accounts.google.com/o/oauth2/v2/auth'),
  GOOGLE_TOKEN_URL: z.string().default('https://oauth2.googleapis.com/token'),
  GOOGLE_USERINFO_URL: z.string().default('https://openidconnect.googleapis.com/v1/userinfo'),
  GOOGLE_REVOKE_URL: z.string().default('https://oauth2.googleapis.com/revoke'),
  GOOGLE_API_URL: z.string().optional(),
  GOOGLE_ISSUER: z.string().default('https://accounts.google.com'),
  PLAID_CLIENT_ID: z.string().optional(),
  PLAID_SECRET: z.string().optional(),
  PLAID_COUNTRY_CODES: list.default(['US']),
  PLAID_REDIRECT_URI: z.string().optional(),
  PLAID_BASE_URL: z.string().optional(),
  ALLOWED_REDIRECT_URIS: list.default([]),
  ALLOWED_ORIGINS: list.default([]),
  INTEGRATIONS_FILE: z.string().default('integrations.yaml'),
  TRUST_PROXY: z.string().default('false'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be fatal, error, warn, info, debug, trace or silent')
    .default('info'),
  SANDBOX: z.enum(['expose']).optional(),
  ALLOW_MIXED: flag.default(false),
  NODE_TLS_REJECT_UNAUTHORIZED: z.string().optional(),
  LIMIT_BODY_BYTES: positive.default(10_240),
  LIMIT_REQUESTS_PER_MINUTE: positive.default(3_000),
  LIMIT_WAITLIST_PER_MINUTE: positive.default(120),
  LIMIT_REQUEST_TIMEOUT_MS: positive.default(30_000),
  LIMIT_PROVIDER_TIMEOUT_MS: positive.max(10_000).default(10_000),
  LIMIT_REVOCATION_RETRY_SECONDS: positive.max(21_600).default(60),
  LIMIT_DATABASE_CONNECTIONS: positive.default(10),
  LIMIT_SOCKET_AUTHENTICATION_MS: positive.default(5_000),
  LIMIT_SOCKET_PAYLOAD_BYTES: positive.default(65_536),
  LIMIT_SOCKET_CONNECTS_PER_MINUTE: positive.default(3_000),
  LIMIT_SOCKET_MESSAGES_PER_MINUTE: positive.default(100),
  LIMIT_SOCKETS_PER_USER: positive.default(10),
  LIMIT_SOCKETS_WAITING: positive.default(1_000),
  LIMIT_SOCKET_CALLS: positive.default(10),
  LIMIT_SOCKET_DRAIN_MS: positive.default(10_000),
});

export type Variables = z.infer<typeof variables>;
