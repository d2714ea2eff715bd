import { z } from 'zod';
import { type Clock, timeoutSignal } from '../../../src/clock/clock.ts';
import type { DeclaredCall } from '../../../src/providers/shared/declared-call.ts';
import { describeProvider, type GrantAccess, type ProviderSession, type Renewal } from '../../../src/providers/shared/provider.ts';
import { fetchJson } from '../../../src/providers/transport/provider-fetch.ts';

const AREAS = ['notes'] as const;
const renewed = z.object({ access_token: z.string(), refresh_token: z.string(), expires_in: z.number() });

interface ToyClient {
  url: string;
  clock: Clock;
}

/** A session on a grant of the toy provider. */
interface ToySession extends ProviderSession {
  list(about: unknown): Promise<unknown>;
}

/** A provider of notes, whose access tokens expire and whose refresh tokens are used once. @param url of {@link startToyServer} */
export function toyDescriptor(url: string) {
  return describeProvider({
    name: 'toy',
    label: 'toy provider',
    settings: () => ({ url }),
    sandboxed: () => ({ url }),
    open: async (settings, { clock }) => ({ ...settings, clock }),
    session: (client, grant, signal) => toySession(client, grant, signal),
    refresh: (client, refreshToken) => refresh(client, refreshToken),
    async revoke(client, token) {
      const { status } = await post(client, '/revoke', { token });
      if (status !== 200) throw new Error(`not revoked: ${status}`);
    },
    needs: {
      key: 'areas',
      names: AREAS,
      schema: z.enum(AREAS),
      isGranted: (scopes, name) => scopes.includes(name),
      missing: (scopes) => AREAS.filter((area) => !scopes.includes(area)),
    },
    calls: async () => (name) =>
      name === LIST.name ? { call: LIST } : { rejection: `${name} is not a call of the toy provider: only ${LIST.name} is` },
  });
}

const LIST: DeclaredCall = {
  name: 'notes.list',
  fields: { about: { kind: 'string' } },
  required: [],
  takesNull: () => false,
  escapesPath: () => false,
  rejection: () => undefined,
  scopes: ['notes'],
  effect: () => 'read',
  tellingField: () => undefined,
  destructiveFields: [],
  exposure: async () => ({ audience: [], version: '', items: [] }),
  send: async (session, { about }, reader, args) => reader.run({ response: await (session as ToySession).list(about), args }),
};

function toySession({ url, clock }: ToyClient, grant: GrantAccess, signal: AbortSignal): ToySession {
  const list = async (token: string, about: unknown) =>
    fetchJson(`${url}/notes?about=${about}`, { headers: { authorization: `Bearer ${token}` }, signal, clock });
  return {
    async list(about) {
      const token = await grant.current();
      const first = await list(token, about);
      return (first.status === 401 ? await list(await grant.renewed(token), about) : first).body;
    },
  };
}

async function refresh(client: ToyClient, refreshToken: string): Promise<Renewal> {
  const { status, body } = await post(client, '/token', { refresh_token: refreshToken });
  if (status !== 200) return { kind: 'ended', reason: new Error(`status ${status}`) };
  const tokens = renewed.parse(body);
  const { access_token: accessToken, refresh_token: newRefreshToken, expires_in: lifeSeconds } = tokens;
  return { kind: 'renewed', accessToken, refreshToken: newRefreshToken, scopes: undefined, lifeSeconds };
}

function post({ url, clock }: ToyClient, path: string, body: object) {
  return fetchJson(`${url}${path}`, { method: 'POST', body: JSON.stringify(body), signal: timeoutSignal(clock, 5_000), clock });
}
