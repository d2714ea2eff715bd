import { json, type NextFunction, type Request, type Response, Router, raw } from 'express';
import { halfProblem, textProblem } from '../../src/validation/well-formed.ts';
import { ApiFault, faultResponse } from '../api-fault.ts';
import type { Controls } from '../controls.ts';
import type { Token } from '../workspace/workspace-grants.ts';
import type { Account } from '../workspace-accounts.ts';
import type { AccountData } from './account-data.ts';
import type { ApiMethod, ApiResponse, SandboxApi } from './api-method.ts';
import { readUpload, type Upload } from './drive-upload.ts';
import { checkRequest } from './google-validation.ts';
import { type Mask, part } from './partial-response.ts';

export interface ApiRoutesOptions {
  data: AccountData;
  controls: Controls;
  /** The valid access token of a request, with its account; undefined: 401. */
  authenticate(request: Request): { token: Token; account: Account } | undefined;
}

const MINUTE_MS = 60_000;
const MAX_UPLOAD = '30mb';

/** Routes of the provider's APIs, mounted at /sandbox/workspace/api. */
export function apiRoutes(apis: readonly SandboxApi<unknown>[], options: ApiRoutesOptions): Router {
  const router = Router();
  router.use('/upload', raw({ type: () => true, limit: MAX_UPLOAD }));
  router.use(json({ limit: MAX_UPLOAD, type: () => true }), rejectHalves);
  for (const api of apis) {
    const served = new ServedApi(api, options);
    for (const method of api.methods) {
      const verb = method.verb.toLowerCase() as 'get' | 'post' | 'put' | 'patch' | 'delete';
      router[verb](method.path, (request, response) => served.handle(method, request, response));
    }
  }
  router.use((request) => {
    if (options.authenticate(request) === undefined) throw unauthenticated();
    throw new ApiFault(404, 'methodNotPlayed', 'The sandbox does not play this method.');
  });
  router.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
    if (error instanceof ApiFault) send(request, response, error);
    else next(error);
  });
  return router;
}

/** The provider's JSON parser takes no lone surrogates. */
function rejectHalves({ body }: Request, _response: Response, next: NextFunction): void {
  if (textProblem(body, halfProblem) !== undefined)
    throw new ApiFault(400, 'badRequest', 'Invalid JSON payload received. Invalid surrogate.');
  next();
}

/** One API, with the remaining quotas of its accounts. */
class ServedApi {
  readonly #api: SandboxApi<unknown>;
  readonly #options: ApiRoutesOptions;
  readonly #spent = new Map<string, { minute: number; units: number }>();

  constructor(api: SandboxApi<unknown>, options: ApiRoutesOptions) {
    this.#api = api;
    this.#options = options;
  }

  handle(method: ApiMethod<unknown>, request: Request, response: Response): void {
    const caller = this.#options.authenticate(request);
    if (caller === undefined) throw unauthenticated();
    const { token, account } = caller;
    if (!method.scopes.some((scope) => token.scopes.includes(scope))) {
      throw new ApiFault(403, 'insufficientPermissions', 'Request had insufficient authentication scopes.');
    }
    this.#spend(account, method.units);
    const query = new URL(request.url, 'http://sandbox.invalid').searchParams;
    const { metadata, upload } = contentOf(request, query);
    // Checked before any change.
    const mask = checkRequest(method, query, metadata);
    const handle = (state: unknown, now: number) =>
      method.handle({
        account,
        params: Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)])),
        query,
        body: metadata,
        ifMatch: request.headers['if-match'],
        upload,
        state,
        now,
      });
    const { data, controls } = this.#options;
    const isRead = method.verb === 'GET';
    const result = isRead ? handle(data.read(this.#api, account), controls.now()) : data.change(this.#api, account, handle);
    reply(response, result, mask);
  }

  #spend(account: Account, units: number): void {
    const { controls } = this.#options;
    const minute = Math.floor(controls.now() / MINUTE_MS);
    const spent = this.#spent.get(account.sub);
    const before = spent?.minute === minute ? spent.units : 0;
    if (before + units > (controls.quota(this.#api.name) ?? this.#api.unitsPerMinute)) {
      throw new ApiFault(403, 'rateLimitExceeded', 'Quota exceeded for quota metric of this user.');
    }
    this.#spent.set(account.sub, { minute, units: before + units });
  }
}

function contentOf({ body, headers }: Request, query: URLSearchParams): { metadata: unknown; upload: Upload | undefined } {
  if (!Buffer.isBuffer(body)) return { metadata: body, upload: undefined };
  return readUpload(body, headers['content-type'] ?? '', query.get('uploadType'));
}

function unauthenticated(): ApiFault {
  return new ApiFault(401, 'authError', 'Request had invalid authentication credentials.');
}

function reply(response: Response, result: ApiResponse, mask: Mask | null): void {
  if ('json' in result) response.json(part(result.json, mask));
  else if ('bytes' in result) response.type(result.contentType).send(result.bytes);
  else response.status(204).end();
}

function send(request: Request, response: Response, fault: ApiFault): void {
  if (fault.status === 401) response.set('WWW-Authenticate', 'Bearer realm="sandbox", error="invalid_token"');
  const { status, body } = faultResponse(request.path, fault);
  response.status(status).json(body);
}
