import { getAuthWorkspaceAccounts, getThreadsId, postWorkspaceAccessRequest, type WorkspaceAccount } from '@steward/client/http';
import type { UIMessage } from 'ai';
import { type FormEvent, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Chat } from './chat.tsx';
import { http, signIn, token } from './steward.ts';

/** Kept while the browser is at the provider's consent page. */
const thread = sessionStorage.getItem('thread') ?? crypto.randomUUID();
sessionStorage.setItem('thread', thread);

function App() {
  const [isSignedIn, setSignedIn] = useState(token() !== '');
  const [accounts, setAccounts] = useState<WorkspaceAccount[]>();
  const [messages, setMessages] = useState<UIMessage[]>();
  useEffect(() => {
    if (!isSignedIn) return;
    getAuthWorkspaceAccounts({ client: http }).then(({ data }) => setAccounts(data?.accounts));
    // A conversation without messages is not found.
    getThreadsId({ client: http, path: { id: thread } }).then(({ data }) => setMessages((data?.messages ?? []) as UIMessage[]));
  }, [isSignedIn]);
  const connect = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const email = String(new FormData(event.currentTarget).get('email'));
    const body = { email, redirect_uri: location.origin + location.pathname };
    const { data } = await postWorkspaceAccessRequest({ client: http, body, throwOnError: true });
    location.assign(data.login_url);
  };
  const demo = () => signIn('demo').then(() => setSignedIn(true));
  if (!isSignedIn) return <button onClick={demo}>Sign in</button>;
  return (
    <main>
      <h1>Assistant</h1>
      <ul aria-label="Accounts">
        {accounts?.map(({ id, email, status }) => (
          <li key={id}>{`${email}: ${status}`}</li>
        ))}
      </ul>
      <form onSubmit={connect}>
        <input name="email" type="email" aria-label="Email" required />
        <button>Connect</button>
      </form>
      {messages && <Chat id={thread} initial={messages} />}
    </main>
  );
}

createRoot(document.getElementById('app') as HTMLElement).render(<App />);
