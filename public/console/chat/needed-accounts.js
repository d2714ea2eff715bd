import { accounts } from '../../language/en/accounts.js';
import { actionName } from '../../language/en/actions.js';
import { connectButton, connectSourceButton, reconnectButton, wordsOf } from '../accounts/account-access.js';
import { changeButton } from '../accounts/source-tools.js';
import { element } from '../kit/dom.js';
import { isToolPart } from './tool-step.js';

const PROVIDERS = ['workspace', 'bank'];

/**
 * What to connect or to permit, below the last answer that needed it: the accounts behind the actions that it names; any, where
 * there is no account at all.
 *
 * @returns `{key, make}` of each, of which the key changes with what is shown
 */
export function neededAccounts(session, { messages, isReading }) {
  const last = messages.at(-1);
  const known = session.accounts.value;
  if (isReading || last?.role !== 'assistant' || known === undefined) return [];
  const named = agentsIn(last, session.agents.value ?? []);
  const needed = PROVIDERS.flatMap((provider) => {
    const agents = named.filter((agent) => agent.provider === provider);
    if (agents.length === 0) return [];
    if (known[provider].length === 0) return [unconnected(session, provider)];
    // No account permits what one of them needs.
    if (agents.every(({ status }) => status !== 'needs_attention')) return [];
    return known[provider].filter(({ missing_scopes: missing = [] }) => missing.length > 0).map((account) => denied(session, account));
  });
  const ofSources = named.filter(({ source, status }) => source !== undefined && status === 'not_connected');
  needed.push(
    ...known.offered.filter(({ name }) => ofSources.some(({ source }) => source === name)).map((one) => unconnectedSource(session, one)),
  );
  const isHeld = ({ source, tools }) => tools.held > 0 && named.some((agent) => agent.source === source);
  needed.push(...known.sources.filter(isHeld).map((account) => held(session, account)));
  if (needed.length > 0) return needed;
  const hasNone = PROVIDERS.every((provider) => known[provider].length === 0);
  return hasNone && !last.parts.some(isToolPart) ? [unconnected(session, 'workspace')] : [];
}

/** The agents of which an answer names an action: as a tool, or in words. */
function agentsIn({ parts }, agents) {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
  const isNamed = ({ tool, name }) => text.includes(tool) || text.includes(`“${actionName(name)}”`);
  // Tools of a server that is not connected, or that has changed them, are not listed.
  const mayBeNamed = ({ name }) => text.includes(`${name}_`) || text.includes(`“${actionName(name)} `);
  return agents.filter(({ name, source, actions }) => actions.some(isNamed) || (source !== undefined && mayBeNamed({ name })));
}

function unconnected(session, provider) {
  return need(provider, accounts.none[provider], () => connectButton(session, provider));
}

function unconnectedSource(session, source) {
  return need(source.name, accounts.noSource(source.label), () => connectSourceButton(session, source));
}

function held(session, account) {
  const words = accounts.heldTool(account.label);
  return need(words, words, () => changeButton(session, account));
}

function denied(session, account) {
  const words = wordsOf(account, 'missing_scopes');
  return need(words, words, () => reconnectButton(session, account));
}

function need(key, words, makeButton) {
  return { key: `needed ${key}`, make: () => element('p', { className: 'chat-needs' }, element('span', {}, words), makeButton()) };
}
