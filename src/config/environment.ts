import { z } from 'zod';
import { limitVariables, positive, whole } from './limits.ts';

const flag = z.enum(['0', '1', 'true', 'false']).transform((value) => value === '1' || value === 'true');
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
const PORT = 'must be a number from 0 to 65535';
const port = z.coerce.number(PORT).int(PORT).min(0, PORT).max(65535, PORT);
const otlpProtocol = z.literal('http/protobuf', 'must be http/protobuf');
const otlpCompression = z.enum(['gzip', 'none'], 'must be gzip or none');
const OTEL_SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const AMOUNT = 'must be an amount of 0 or more';
const RATIO = 'must be a number from 0 to 1';

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
  AWS_ENDPOINT_URL_KMS: z.string().optional(),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  FIREBASE_PROJECT_ID: z.string().optional(),
  GOOGLE_APPLICATION_CREDENTIALS: z.string().optional(),
  FIREBASE_AUTH_EMULATOR_HOST: z.string().optional(),
  OIDC_ISSUER: z.string().optional(),
  OIDC_AUDIENCE: z.string().optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  SIGN_IN_URL: z.string().optional(),
  MCP_ISSUER: z.string().optional(),
  IDENTITY_KEYS_MAX_AGE_SECONDS: positive.min(60, 'must be at least 60').max(86_400, 'must be at most 86400').default(3_600),
  // An empty value admits every user on purpose; a stray comma must not do so by mistake.
  ALLOWED_USERS: list.refine((users) => users.length > 0, 'contains no user; leave it empty to allow all users').default([]),
  OPERATORS: list.default([]),
  INTERNAL_HOSTS: list.default([]),
  CONSOLE: z.enum(['on', 'off'], 'must be on or off').default('off'),
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
  SMTP_URL: z.string().optional(),
  SMTP_HOST: z.string().optional(),
  SMTP_PORT: port.optional(),
  SMTP_USER: z.string().optional(),
  SMTP_PASSWORD: z.string().optional(),
  MAIL_FROM: z.string().optional(),
  MODELS: z.string().optional(),
  OPENAI_API_KEY: z.string().optional(),
  ANTHROPIC_API_KEY: z.string().optional(),
  GOOGLE_GENERATIVE_AI_API_KEY: z.string().optional(),
  MODEL_BUDGET_RUNS_PER_DAY: whole.optional(),
  MODEL_BUDGET_STEPS_PER_DAY: whole.optional(),
  MODEL_BUDGET_TOKENS_PER_DAY: whole.optional(),
  MODEL_BUDGET_SECONDS_PER_DAY: whole.optional(),
  MODEL_BUDGET_COST_PER_DAY: z.coerce.number(AMOUNT).min(0, AMOUNT).optional(),
  ALLOWED_REDIRECT_URIS: list.default([]),
  ALLOWED_ORIGINS: list.default([]),
  INTEGRATIONS_FILE: z.string().default('integrations.yaml'),
  TRUST_PROXY: z.string().default('false'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be fatal, error, warn, info, debug, trace or silent')
    .default('info'),
  LOG_FORMAT: z.enum(['pretty', 'json'], 'must be pretty or json').optional(),
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.string().optional(),
  // Only one protocol is supported; another value is a configuration error.
  OTEL_EXPORTER_OTLP_PROTOCOL: otlpProtocol.optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: otlpProtocol.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: z.string().optional(),
  OTEL_EXPORTER_OTLP_TIMEOUT: positive.default(10_000),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: positive.optional(),
  OTEL_EXPORTER_OTLP_COMPRESSION: otlpCompression.default('none'),
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: otlpCompression.optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], 'must be otlp or none').default('otlp'),
  OTEL_TRACES_SAMPLER: z.enum(OTEL_SAMPLERS, `must be one of ${OTEL_SAMPLERS.join(', ')}`).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number(RATIO).min(0, RATIO).max(1, RATIO).default(1),
  OTEL_PROPAGATORS: list.default([]),
  OTEL_BSP_SCHEDULE_DELAY: positive.default(5_000),
  OTEL_SDK_DISABLED: flag.default(false),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional(),
  SANDBOX: z.enum(['expose']).optional(),
  ALLOW_MIXED: flag.default(false),
  NODE_TLS_REJECT_UNAUTHORIZED: z.string().optional(),
  ...limitVariables,
});

export type Variables = z.infer<typeof variables>;
