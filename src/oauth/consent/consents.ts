import { hashSecret, randomSecret } from '../../crypto/secrets.ts';
import { AppError } from '../../errors.ts';
import type { ClientGrants } from '../../executor/client-grants.ts';
import { nameOfApp } from '../../executor/taint/own-name.ts';
import type { Request, Response } from '../../http/endpoints/endpoint.ts';
import type { Catalog, ConfiguredAgent } from '../../integrations/catalog.ts';
import { shortened } from '../../validation/cut-text.ts';
import type { AuthorizationProvider } from '../authorization-provider.ts';
import type { AuthorizationServer } from '../authorization-server.ts';
import { fetchFailure } from '../clients/client-documents.ts';
import { publishedHost, type RedirectTarget, redirectTarget } from '../clients/client-metadata.ts';
import { UNVERIFIED } from '../clients/unreachable-documents.ts';
import { CURRENT_REQUEST } from '../entries/current-request.ts';
import { keyOf } from '../entries/entries.ts';
import { consumeEntry, keepClient } from '../entries/entries-repository.ts';
import { PATHS } from '../protocol.ts';

const MAX_NAME = 100;

type Interaction = InstanceType<AuthorizationProvider['Interaction']>;

export interface ConsentsDeps {
  server: AuthorizationServer;
  clientGrants: ClientGrants;
  catalog(): Catalog;
}

/** A request for authorization that waits for its user. */
export interface PendingConsent {
  interaction: Interaction;
  clientId: string;
  metadata: object;
  name: string | undefined;
  /** Of its id, if that is the address of its document. */
  host: string | undefined;
  /** Its document could not be fetched. */
  isUnreachable: boolean;
  target: RedirectTarget;
  /** `read`, or also `write`. */
  scopes: readonly string[];
  /** The user has decided, and the client does not know yet. */
  isDecided: boolean;
}

/** Days for which the user can permit a client something. */
export const DURATIONS = [1, 30, 90, 365] as const;

/** What the user permits. */
export interface Consent {
  agents: readonly string[];
  access: 'read' | 'write';
  /** null: all accounts, also later ones, except `exceptAccountIds`. */
  accountIds: readonly string[] | null;
  exceptAccountIds: readonly string[];
  days: number;
}

/** Decisions on requests for authorization, each made once. */
export class Consents {
  readonly #deps: ConsentsDeps;

  constructor(deps: ConsentsDeps) {
    this.#deps = deps;
  }

  /**
   * The request that the browser's cookie belongs to; of one that has been answered, where the browser continues: undefined
   * once the client has what it asked for.
   *
   * @throws AppError `forbidden` in another browser and when it is over, `invalid_request` when the client is not what it was,
   * or its document can't be fetched; `unavailable`
   */
  async find(uid: string, request: Request, response: Response): Promise<PendingConsent | { answered: string | undefined }> {
    const { server } = this.#deps;
    const provider = await server.provider();
    const interaction = await provider.interactionDetails(request, response).catch(ofLibrary);
    if (interaction === undefined || interaction.uid !== uid) {
      const answer = await server.entries.answerOf(uid);
      if (answer !== undefined) return { answered: answer.isUsed ? undefined : `${server.publicUrl}${PATHS.authorize}/${uid}` };
      throw new AppError('forbidden', 'This was started in another browser, or has ended. Start again in the app.');
    }
    const { client_id: clientId, redirect_uri: redirectUri, scope } = interaction.params as Record<string, string>;
    const current = { request, userId: undefined, redirectUri, mayFetch: true, fetched: new Set<string>() };
    const client = await CURRENT_REQUEST.run(current, () => provider.Client.find(clientId as string)).catch(ofLibrary);
    // A client can change what it has published since the request.
    if (client === undefined || !client.redirectUriAllowed(redirectUri as string)) {
      throw new AppError('invalid_request', 'The app does not exist any more, or its address has changed.');
    }
    return {
      interaction,
      clientId: client.clientId,
      metadata: client.metadata(),
      name: client.clientName,
      host: client.steward === UNVERIFIED ? undefined : publishedHost(client.clientId),
      isUnreachable: client.steward === UNVERIFIED,
      target: redirectTarget(redirectUri as string),
      scopes: (scope ?? '').split(' '),
      isDecided: interaction.result !== undefined,
    };
  }

  /**
   * Permits the client what the user chose, once.
   *
   * @returns where the browser continues
   * @throws AppError what {@link ClientGrants.create} throws
   */
  async allow(userId: string, pending: PendingConsent, consent: Consent): Promise<string> {
    const { server, clientGrants } = this.#deps;
    const { interaction, clientId, target, name, host } = pending;
    const provider = await server.provider();
    const grantId = randomSecret();
    const access = pending.scopes.includes('write') ? consent.access : 'read';
    const resource = server.publicUrl + PATHS.resource;
    const store = async () => {
      const db = server.entries.queryable;
      await claim(db, interaction);
      // For its tokens: current-request.ts.
      if (publishedHost(clientId) !== undefined) await server.entries.keepPublished(clientId, pending.metadata);
      else if (!(await keepClient(db, hashSecret(clientId)))) throw new AppError('invalid_request', 'The app does not exist any more.');
      const grant = new provider.Grant({ accountId: userId, clientId });
      grant.jti = grantId;
      grant.addResourceScope(resource, access === 'write' ? 'read write' : 'read');
      await grant.save();
      interaction.result = { login: { accountId: userId, remember: false }, consent: { grantId } };
      await interaction.persist();
    };
    const create = clientGrants.create(
      {
        userId,
        kind: 'oauth',
        name: shortened(nameOfApp(name, host, target.name), MAX_NAME),
        tokenHash: hashSecret(grantId),
        lastFour: null,
        oauthClientId: clientId,
        redirectHost: target.name,
        actions: actionsOf(consent.agents),
        access,
        accountIds: consent.accountIds,
        exceptAccountIds: consent.exceptAccountIds,
        days: consent.days,
      },
      (tx) => server.entries.within(tx, store),
    );
    await create.catch(unlessDecided);
    return interaction.returnTo;
  }

  /** Tells the client that the user denied it. @returns where the browser continues */
  async deny({ interaction }: PendingConsent): Promise<string> {
    const { entries } = this.#deps.server;
    const store = async () => {
      await claim(entries.queryable, interaction);
      interaction.result = { error: 'access_denied', error_description: 'The user denied the request.' };
      await interaction.persist();
    };
    await entries.transaction(undefined, store).catch(unlessDecided);
    return interaction.returnTo;
  }

  /** The agents that have actions. */
  agents(): { name: string; description: string | undefined; isFinancial: boolean }[] {
    const { actions, agents } = this.#deps.catalog();
    const names = new Set([...actions.values()].map(({ agent }) => agent));
    return [...names].toSorted().map((name) => ({ name, ...aboutOf(agents.get(name)) }));
  }
}

function aboutOf(agent: ConfiguredAgent | undefined) {
  return { description: agent?.description, isFinancial: agent?.provider === 'bank' };
}

/** What was ticked, and no agent that the operator adds later: the user has not seen it. */
function actionsOf(agents: readonly string[]): string[] {
  return [...new Set(agents)].map((name) => `${name}.*`);
}

/** Of several decisions, the first counts. @throws Decided for the others */
async function claim(db: Parameters<typeof consumeEntry>[0], { uid }: Interaction): Promise<void> {
  const used = await consumeEntry(db, keyOf('Interaction', uid));
  if (used?.isFirst !== true) throw new Decided();
}

/** The request was decided before: the browser continues as after the first decision. */
class Decided extends Error {}

function unlessDecided(error: unknown): void {
  if (!(error instanceof Decided)) throw error;
}

/** Errors of the library mean that there is nothing, except for a failed fetch; those of the service are thrown. */
function ofLibrary(error: unknown): undefined {
  const failure = fetchFailure(error);
  if (failure !== undefined) throw failure;
  if (error instanceof Error && 'statusCode' in error) return undefined;
  throw error;
}
