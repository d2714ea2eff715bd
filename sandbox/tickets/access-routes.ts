import { json, type Response, Router, urlencoded } from 'express';
import { z } from 'zod';
import { ticketsConsent as texts } from '../../public/language/en/sandbox.js';
import { AppError } from '../../src/errors.ts';
import { leadOn } from '../../src/http/middleware/lead-on.ts';
import { PAGE_POLICY } from '../../src/http/pages/html.ts';
import { errorPage } from '../sandbox-page.ts';
import type { AccessClients } from './access-clients.ts';
import { type AccessBehaviour, AUTH_METHODS } from './access-state.ts';
import type { AccessTokens, TokenAnswer } from './access-tokens.ts';
import { type AuthorizationDesk, SCOPES, WRITE_SCOPE } from './authorization-desk.ts';
import { ticketsPage } from './tickets-page.ts';
import type { TicketUser } from './tickets-state.ts';

export interface AccessRouteDeps {
  /** Issuer, and the address of its endpoints as the service reaches them. */
  issuer: string;
  /** The same as browsers see it. */
  publicRoot: string;
  keySet: { keys: object[] };
  clients: AccessClients;
  desk: AuthorizationDesk;
  tokens: AccessTokens;
  behaviour: AccessBehaviour;
  /** Who can sign in. */
  people: readonly TicketUser[];
}

const fields = z.record(z.string(), z.string());
const form = urlencoded({ extended: false, limit: '16kb' });

/** The tracker's authorization server, mounted at /sandbox/tickets. */
export function accessRoutes(deps: AccessRouteDeps): Router {
  const { clients, tokens } = deps;
  const router = Router();
  router.get('/.well-known/openid-configuration', (_request, response) => void response.json(accessMetadata(deps)));
  router.get('/jwks.json', (_request, response) => void response.json(deps.keySet));
  router.get('/authorize', (request, response) => asPage(response, () => ask(deps, request.query, response)));
  router.post('/authorize', form, (request, response) => asPage(response, () => decide(deps, request.body, response)));
  router.post('/token', form, async ({ body, headers }, response) => {
    const given = fields.safeParse(body ?? {});
    send(response, given.success ? await tokens.answer(given.data, headers.authorization) : NOT_A_FORM);
  });
  router.post('/revoke', form, ({ body, headers }, response) => {
    const given = fields.safeParse(body ?? {});
    send(response, given.success ? tokens.revoke(given.data, headers.authorization) : NOT_A_FORM);
  });
  router.post('/register', json({ limit: '16kb' }), ({ body }, response) => {
    try {
      response.status(201).set('Cache-Control', 'no-store').json(clients.register(body));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      response.status(400).json({ error: 'invalid_client_metadata', error_description: error.message });
    }
  });
  return router;
}

/** RFC 8414, 2; OpenID Connect Discovery, 3. */
export function accessMetadata({ issuer, publicRoot, behaviour }: Pick<AccessRouteDeps, 'issuer' | 'publicRoot' | 'behaviour'>): object {
  return {
    issuer,
    authorization_endpoint: `${publicRoot}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    jwks_uri: `${issuer}/jwks.json`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    ...(!behaviour.omitIss && { authorization_response_iss_parameter_supported: true }),
    client_id_metadata_document_supported: true,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}

const NOT_A_FORM: TokenAnswer = {
  status: 400,
  body: { error: 'invalid_request', error_description: 'Send each parameter once, as application/x-www-form-urlencoded.' },
};

function send(response: Response, { status, body }: TokenAnswer): void {
  response.status(status).set('Cache-Control', 'no-store').json(body);
}

async function ask({ desk, people }: AccessRouteDeps, query: Record<string, unknown>, response: Response): Promise<string | undefined> {
  const opened = await desk.open(query);
  if ('request' in opened) return ticketsPage(opened.request, opened.clientName, people);
  await leadOn(response, opened.location);
  return undefined;
}

async function decide({ desk, people }: AccessRouteDeps, body: unknown, response: Response): Promise<undefined> {
  const given = fields.safeParse(body ?? {});
  if (!given.success) throw new AppError('invalid_request', texts.incomplete);
  const opened = await desk.open(given.data);
  if ('location' in opened) return void (await leadOn(response, opened.location));
  const { decision, user, write } = given.data;
  const person = people.find(({ id }) => id === user);
  const scopes = opened.request.scopes.filter((scope) => scope !== WRITE_SCOPE || write === 'yes');
  await leadOn(response, desk.decide(opened.request, decision === 'allow' ? person?.id : undefined, scopes));
}

/** Sends a page, or that of the error. */
async function asPage(response: Response, make: () => Promise<string | undefined>): Promise<void> {
  let page: string | undefined;
  response.set('Cache-Control', 'no-store');
  try {
    page = await make();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    response.status(error.status);
    page = errorPage(texts.failed, error.message);
  }
  if (page !== undefined) response.set('Content-Security-Policy', PAGE_POLICY).type('html').send(page);
}
