// Makes docs/http.md, the HTTP reference for people, from the endpoint declarations. `--check` only compares.
import { featureRouters } from '../src/app.ts';
import { variables as environmentVariables } from '../src/config/environment.ts';
import { limitsOf } from '../src/config/limits.ts';
import type { Context } from '../src/context.ts';
import { ERROR_STATUS, type ErrorCode } from '../src/errors.ts';
import { healthRouter } from '../src/health/health-routes.ts';
import { homeRouter, openApiRouter } from '../src/home/home-routes.ts';
import type { Endpoint, LimitName } from '../src/http/endpoint.ts';
import type { EndpointMiddleware } from '../src/http/endpoint-router.ts';
import { errorsOf, openApiDocument } from '../src/http/openapi.ts';
import { PROVIDERS } from '../src/providers/providers.ts';
import { FLOW_ERRORS } from '../src/workspace/flow-errors.ts';
import { writeGenerated } from './generated-file.ts';
import { fieldsOf, type Schema, table, typeOf } from './schema-tables.ts';

interface Operation {
  description?: string;
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
}

const ERRORS: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'A parameter or a field of the body is missing, unknown or invalid; `message` names it.',
  invalid_token: 'The ID token, personal access token, ticket or signature is missing or invalid.',
  token_expired: 'The ID token or ticket has expired.',
  forbidden: 'This user may not use the service, this browser may not continue the flow, or this client may not do that.',
  recent_login_required: 'The last sign-in is more than five minutes ago.',
  not_found: 'There is no such address, or the user has no such account.',
  method_not_allowed: 'The address does not accept this method; the `Allow` header lists those that it accepts.',
  missing_scopes: 'The account’s consent does not cover this; `details.missingScopes` names what is missing.',
  reauth_required: 'The user has to connect the account again.',
  relink_required: 'The user must log in to the bank again, in update mode.',
  item_gone: 'Access to the bank has ended; the user must link it again.',
  conflict: 'The current state does not allow this; `message` says why.',
  approval_required: 'The user has to approve the call first; `details` describes it.',
  aborted: 'The client left before the action began.',
  too_large: 'The body is too large.',
  unsupported_media_type: 'The body has another media type than the endpoint accepts.',
  invalid_configuration: 'The integrations file is invalid; the previous one stays in force.',
  unsupported_account: 'The bank or the account does not support what is needed.',
  rate_limited: 'Too many requests; `Retry-After` says when to try again.',
  internal: 'The service failed; the log has the reason under the `request_id`.',
  provider_error: 'The provider returned an error or an invalid response.',
  outcome_unknown: 'A change was sent and no response received: it may have been made, and is never retried.',
  unavailable: 'A dependency (database, identity provider, key service) is not available; `Retry-After` says when to try again.',
  not_configured: 'The provider is not configured on this service.',
  assistant_disabled: 'No model is configured on this service.',
  provider_timeout: 'The provider did not respond in time.',
};
const AUTH: Record<Endpoint['auth'], string> = {
  id_token: 'ID token',
  first_party: 'ID token or session',
  credential: 'ID token or personal access token',
  none: 'none',
};
const LIMITS: Record<LimitName, string> = {
  probe: '`LIMIT_PROBES_PER_MINUTE`, instead of the general limit',
  waitlist: '`LIMIT_WAITLIST_PER_MINUTE`',
  provider: '`LIMIT_PROVIDER_REQUESTS_PER_MINUTE`, with an ID token also `LIMIT_USER_PROVIDER_REQUESTS_PER_MINUTE`',
};

const endpoints = declaredEndpoints();
const tags = [...new Set(endpoints.map(({ tag }) => tag))];
const sections = tags.flatMap((tag) => [`## ${tag}`, ...endpoints.filter((endpoint) => endpoint.tag === tag).flatMap(reference)]);
const document = [...introduction(), ...sections, ...outcomes(), ...errors()].join('\n\n');
writeGenerated('docs/http.md', `${document}\n`, 'scripts/http-reference.ts');

/** Every declaration, of development and of production. No handler is called, so dependencies may be absent. */
function declaredEndpoints(): Endpoint[] {
  const pass = () => undefined;
  const limits = { probe: pass, waitlist: pass, provider: pass };
  const middleware = {
    authenticate: pass,
    requireFirstParty: pass,
    limitBytes: () => pass,
    parseBody: [pass],
    limits,
  } as unknown as EndpointMiddleware;
  const context = (environment: string) =>
    ({
      config: { environment, limits: limitsOf(environmentVariables.parse({})) },
      addresses: { publicUrl: 'https://steward.example.com' },
      descriptors: PROVIDERS,
    }) as unknown as Context;
  const production = context('production');
  const routers = [
    homeRouter(production.config, production.addresses.publicUrl, middleware),
    ...featureRouters(context('development'), middleware, {} as never),
    openApiRouter(() => ({}), middleware),
    healthRouter({} as never, middleware),
  ];
  return routers.flatMap((router) => router.endpoints);
}

function introduction(): string[] {
  const rows = endpoints.map((endpoint) => [link(endpoint), authOf(endpoint), endpoint.summary]);
  return [
    '<!-- Generated by scripts/http-reference.ts. -->',
    '# HTTP reference',
    'Every endpoint of the service. The same description for programs is at `/openapi.json`, and at `/api-docs` of a development service you can send requests from the page. [WebSocket](websocket.md) describes the interface at `/ws`; [Your own front end](front-end.md) shows how to use both.',
    '- **Authentication**: where it says ID token, send the identity provider’s ID token as the value of the `Authorization` header, without a prefix; `Bearer ` is tolerated. A session is the cookie of a browser that is signed in at the service’s own pages ([Approvals](approvals.md)).\n' +
      '- **Request bodies** are `application/x-www-form-urlencoded` or `application/json`. An unknown field is an error.\n' +
      '- **Responses** are JSON in UTF-8 and must not be cached. The `X-Request-Id` header identifies the request in the service’s logs.\n' +
      '- **Errors** have one form: `{"status": "error", "code": "…", "message": "…", "request_id": "…"}`, sometimes with `details`. Programs use `code`; `message` is for people. [Errors](#errors) lists the codes.\n' +
      '- **Limits**: every endpoint counts towards the limits for each client address and each user; [Limits](limits.md) lists them with their defaults.',
    table(['Endpoint', 'Authentication', 'Purpose'], rows),
  ];
}

function reference(endpoint: Endpoint): string[] {
  const { operation, schemas } = described(endpoint);
  const parameters = (operation.parameters ?? []).map(({ name, in: location, required, description, schema }) => [
    `\`${name}\``,
    location,
    typeOf(schema, schemas),
    required === true ? 'yes' : 'no',
    description ?? schema.description ?? '',
  ]);
  const schema = operation.requestBody?.content['application/json']?.schema;
  const fields = schema === undefined ? [] : fieldsOf(schema, schemas);
  return [
    `### ${title(endpoint)}`,
    `${endpoint.summary}.${operation.description === undefined ? '' : ` ${operation.description}`}`,
    facts(endpoint),
    ...(parameters.length > 0 ? [table(['Parameter', 'In', 'Type', 'Required', 'Description'], parameters)] : []),
    ...(fields.length === 0 ? [] : [table(['Body field', 'Type', 'Required', 'Description'], fields)]),
    ...(endpoint.json === undefined ? [] : [`The body is JSON of up to ${sizeOf(endpoint.json.limit)}.`]),
    ...(endpoint.signed === undefined ? [] : [`Body: JSON of up to ${endpoint.signed.limit / 1024} kB, signed in the header.`]),
    ...responses(operation, schemas),
    `[Errors](#errors): ${errorsOf(endpoint)
      .map((code) => `\`${code}\``)
      .join(', ')}.`,
  ];
}

function sizeOf(bytes: number): string {
  return bytes < 1024 ** 2 ? `${bytes / 1024} kB` : `${bytes / 1024 ** 2} MB`;
}

function described(endpoint: Endpoint): { operation: Operation; schemas: Record<string, Schema> } {
  const document = openApiDocument([endpoint], { publicUrl: 'https://steward.example.com', version: '', environment: 'production' });
  const [path] = Object.values(document.paths ?? {});
  return {
    operation: (path as Record<string, unknown>)[endpoint.method] as Operation,
    schemas: (document.components?.schemas ?? {}) as Record<string, Schema>,
  };
}

function responses({ responses: all }: Operation, schemas: Record<string, Schema>): string[] {
  return Object.entries(all).flatMap(([status, { description, content }]) => {
    if (Number(status) >= 400) return [];
    const schema = content?.['application/json']?.schema;
    if (schema === undefined) return [`Response ${status}: ${description}.`];
    const fields = fieldsOf(schema, schemas);
    if (fields.length === 0) return [`Response ${status}: a JSON object.`];
    return [`Response ${status}:`, table(['Field', 'Type', 'Always present', 'Description'], fields)];
  });
}

function facts({ auth, limit, browser }: Endpoint): string {
  return [
    `- Authentication: ${AUTH[auth]}`,
    ...(limit === undefined ? [] : [`- Limit: ${LIMITS[limit]}`]),
    ...(browser === true
      ? ['- For a person’s browser: an error is an HTML page if the client accepts one; `HEAD` and prefetch requests are rejected']
      : []),
  ].join('\n');
}

function outcomes(): string[] {
  const codes = Object.entries(FLOW_ERRORS).map(([code, cause]) => [`\`status=error&code=${code}\``, cause]);
  return [
    '## Outcomes of connecting a workspace account',
    'The flow ends with a redirect (303) to its `redirect_uri`, or for an unknown flow to the default one. These parameters are added to its query, besides `integration=workspace`:',
    table(
      ['Parameters', 'Meaning'],
      [
        ['`status=connected&account_id=…`', 'The account is connected; `account_id` is its id in `GET /auth/workspace/accounts`.'],
        [
          '`status=connected&account_id=…&missing_scopes=…`',
          'The account is connected, but the user did not grant these scopes (separated by commas).',
        ],
        ...codes,
      ],
    ),
  ];
}

function errors(): string[] {
  const used = new Set(endpoints.flatMap(errorsOf));
  const codes = (Object.keys(ERROR_STATUS) as ErrorCode[]).filter((code) => used.has(code));
  const undescribed = codes.filter((code) => ERRORS[code] === undefined);
  if (undescribed.length > 0) throw new Error(`no description of ${undescribed.join(', ')} in scripts/http-reference.ts`);
  return [
    '## Errors',
    table(
      ['Code', 'Status', 'Meaning'],
      codes.map((code) => [`\`${code}\``, String(ERROR_STATUS[code]), ERRORS[code] ?? '']),
    ),
    'A request that the service cannot accept as HTTP gets the same form with a more exact status: 408 (it did not arrive in time), 414 (its address is too long), 431 (its headers are too large) and 505 (another version than HTTP/1.0 or HTTP/1.1).',
  ];
}

function title({ method, path }: Endpoint): string {
  return `${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')}`;
}

/** GitHub's anchor of the heading. */
function link(endpoint: Endpoint): string {
  const anchor = title(endpoint)
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
  const same = endpoints.filter((other) => title(other) === title(endpoint)).indexOf(endpoint);
  return `[\`${title(endpoint)}\`](#${anchor}${same > 0 ? `-${same}` : ''})`;
}

function authOf({ auth }: Endpoint): string {
  return AUTH[auth];
}
