import { accounts } from '../../language/en/accounts.js';
import { connectButton } from '../accounts/account-access.js';
import { element } from '../kit/dom.js';
import { isToolPart } from './tool-step.js';

const PROVIDERS = ['workspace', 'bank'];

/** The providers without an account that the last answer needed: those whose tools it names; any, where there is no account at all. */
export function neededProviders(session, { messages, isReading }) {
  const last = messages.at(-1);
  const known = session.accounts.value;
  if (isReading || last?.role !== 'assistant' || known === undefined) return [];
  const without = PROVIDERS.filter((provider) => known[provider].length === 0);
  const text = last.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const agents = session.agents.value ?? [];
  const isNamed = (provider) =>
    agents.some((agent) => agent.provider === provider && agent.actions.some(({ tool }) => text.includes(tool)));
  const named = without.filter(isNamed);
  if (named.length > 0) return named;
  return without.length === PROVIDERS.length && !last.parts.some(isToolPart) ? ['workspace'] : [];
}

/** Below an answer: what to connect. @param providers not empty */
export function neededAccounts(session, providers) {
  const words = providers.map((provider) => accounts.none[provider]).join(' ');
  const buttons = providers.map((provider) => connectButton(session, provider));
  return element('p', { className: 'chat-needs' }, element('span', {}, words), ...buttons);
}
