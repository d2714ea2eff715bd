import { StewardClient } from '@steward/client';
import { createClient } from '@steward/client/http';
import { WebSocketChatTransport } from 'ai';

const url = document.querySelector<HTMLMetaElement>('meta[name=steward]')?.content ?? '';

/** In development the sandbox signs anyone in; in production this is your identity provider's ID token. */
export async function signIn(user: string): Promise<void> {
  const response = await fetch(`${url}/sandbox/identity/token`, { method: 'POST', body: new URLSearchParams({ user }) });
  sessionStorage.setItem('token', (await response.json()).id_token);
}

export const token = () => sessionStorage.getItem('token') ?? '';

export const http = createClient({ baseUrl: url, auth: token, credentials: 'include' });
export const steward = new StewardClient({ url, token: (why) => (why === 'refused' ? undefined : token()) });

/** The service has the history, so only the last message is sent. */
export const transport = new WebSocketChatTransport({
  url: `${url}/ws`,
  headers: () => ({ authorization: token() }),
  prepareSendMessagesRequest: ({ messages }) => ({ messages: messages.slice(-1) }),
});
