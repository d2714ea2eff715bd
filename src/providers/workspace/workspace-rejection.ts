import { isObject } from '../../validation/is-object.ts';

/** What an error response of the provider's APIs means (Google: "Resolve errors" of each API; AIP-193). */
export interface Rejection {
  kind: 'limit' | 'lasting_limit' | 'disabled_api' | 'scopes' | 'other';
  /** The provider's most specific reason; '': none. */
  reason: string;
  message: unknown;
  /** The name of an API that is disabled. */
  disabledApi: string | undefined;
}

/** Limits for seconds or minutes. */
const LIMITS = new Set([
  'rateLimitExceeded',
  'rateLimitExceededUnreg',
  'userRateLimitExceeded',
  'userRateLimitExceededUnreg',
  'concurrentLimitExceeded',
  'servingLimitExceeded',
  'limitExceeded',
  'RESOURCE_EXHAUSTED',
  'RATE_LIMIT_EXCEEDED',
]);
/** Limits for hours. */
const LASTING_LIMITS = new Set([
  'dailyLimitExceeded',
  'dailyLimitExceededUnreg',
  'sharingRateLimitExceeded',
  'variableTermLimitExceeded',
  'variableTermExpiredDailyExceeded',
  // Calendar usage limits: no changes for several hours (Google Workspace Admin Help, Avoid Calendar use limits).
  'quotaExceeded',
]);
/** The operator has not enabled the API in the client's project. */
const DISABLED = new Set(['accessNotConfigured', 'SERVICE_DISABLED']);
const SCOPES = new Set(['insufficientPermissions', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT', 'insufficientScopes']);

/** API names that differ from the first part of a method's name. */
const SERVICES: Partial<Record<string, string>> = { calendar: 'calendar-json' };
const MOST_ENTRIES = 20;

/** @param method whose first part names the API if the response does not */
export function readRejection(method: string, status: number, body: unknown): Rejection {
  const error = field(body, 'error');
  const details = list(field(error, 'details'));
  const reasons = [...list(field(error, 'errors')), ...details].map((entry) => field(entry, 'reason'));
  const words = [...reasons, field(error, 'status')].filter(isWord);
  const kind = kindOf(status, words, details);
  const known = [LASTING_LIMITS, DISABLED, LIMITS, SCOPES].flatMap((set) => words.filter((word) => set.has(word)));
  const reason = kind === 'other' ? words[0] : (known[0] ?? words[0]);
  return {
    kind,
    reason: reason ?? '',
    message: field(error, 'message'),
    disabledApi: kind === 'disabled_api' ? apiName(method, details) : undefined,
  };
}

function kindOf(status: number, words: readonly string[], details: readonly unknown[]): Rejection['kind'] {
  const says = (set: ReadonlySet<string>) => words.some((word) => set.has(word));
  if (status !== 429 && status !== 403) return 'other';
  if (says(LASTING_LIMITS) || details.some(isDaily)) return 'lasting_limit';
  if (status === 429) return 'limit';
  if (says(DISABLED)) return 'disabled_api';
  if (says(LIMITS)) return 'limit';
  return says(SCOPES) ? 'scopes' : 'other';
}

/** The newer error format names the limit: `WriteRequestsPerDayPerProject`. */
function isDaily(detail: unknown): boolean {
  const limit = field(field(detail, 'metadata'), 'quota_limit');
  return typeof limit === 'string' && /PerDay/i.test(limit.slice(0, 200));
}

function apiName(method: string, details: readonly unknown[]): string {
  const named = details.map((detail) => field(field(detail, 'metadata'), 'service')).find(isService);
  const [api = ''] = method.split('.', 1);
  return named ?? `${SERVICES[api] ?? api}.googleapis.com`;
}

function isService(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z][a-z0-9.-]{1,99}$/.test(value);
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z_]{1,64}$/.test(value);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, MOST_ENTRIES) : [];
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
