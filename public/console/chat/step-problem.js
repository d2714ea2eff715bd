import { accounts } from '../../language/en/accounts.js';
import { connectButton, connectSourceButton, ENDED, reconnectButton, wordsOf } from '../accounts/account-access.js';
import { changeButton } from '../accounts/source-tools.js';
import { button } from '../kit/button.js';
import { element } from '../kit/dom.js';
import { accountsOf, labelOf } from '../page/page-accounts.js';
import { visibleText } from '../page/page-text.js';

const NO_ANSWER = new Set(['provider_error', 'provider_timeout']);
/** How the service says that a bank was connected just now. */
const BEING_FETCHED = 'still being fetched';
/** How it says that a tool has changed. */
const BEING_HELD = 'waits until the user has looked at it';

/**
 * What keeps the assistant from an account, in words, with what the user can do about it where it hurts.
 *
 * @param context of a step
 * @param call `{action, input, failure, isLast}`: `isLast` when its message can be answered again
 * @returns `{text, make}`: the words, which change with what is shown; undefined: it failed for another reason
 */
export function stepProblem({ session, retry }, { action, input, failure, isLast }) {
  const agent = session.agents.value?.find(({ name }) => action?.startsWith(`${name}.`));
  const provider = agent?.provider;
  const own = agent && accountsOf(agent, session.accounts.value);
  if (own === undefined) return undefined;
  const { code } = failure;
  const again = isLast ? () => tryAgain(retry) : () => undefined;
  if (own.length === 0 && code === 'not_found') return unconnected(session, agent);
  const account = accountOf(own, input?.account, ENDED.has(code));
  const name = account === undefined ? undefined : labelOf(account);
  if (code === 'forbidden' && account !== undefined && failure.message.includes(BEING_HELD)) {
    const hasToDecide = account.tools?.held > 0;
    return hasToDecide ? problem(accounts.heldTool(name), () => changeButton(session, account)) : problem(accounts.worksAgain(name), again);
  }
  if (NO_ANSWER.has(code)) return problem(accounts.noAnswer(provider, name), again);
  if (account === undefined) return undefined;
  if (code === 'unavailable' && failure.message.includes(BEING_FETCHED)) return problem(accounts.stillLoading(name), again);
  if (!ENDED.has(code)) return undefined;
  const missing = account.missing_scopes ?? [];
  // What a source wants more is known once it has refused a call, and here a moment later.
  const isRefused = code === 'missing_scopes' && (missing.length > 0 || account.source !== undefined);
  if (account.status === 'active' && !isRefused) return problem(accounts.worksAgain(name), again);
  return problem(wordsOf(account, code), () => reconnectButton(session, account));
}

/** @returns undefined: the operator does not offer it */
function unconnected(session, { provider, source }) {
  if (source === undefined) return problem(accounts.none[provider], () => connectButton(session, provider));
  const offered = session.accounts.value.offered.find(({ name }) => name === source);
  return offered && problem(accounts.noSource(offered.label), () => connectSourceButton(session, offered));
}

/** The account of a call: the one that it names, or the default. @param isUnusable it is one that needs the user */
function accountOf(own, named, isUnusable) {
  const preferred = own.length === 1 ? own[0] : own.find((one) => one.default);
  const chosen = own.find((one) => one.id === named || labelOf(one) === named) ?? preferred;
  return chosen ?? (isUnusable ? own.find(({ status }) => status !== 'active') : undefined);
}

function problem(words, makeButton) {
  return {
    text: words,
    make: () => element('p', { className: 'step-problem' }, element('span', { dir: 'auto' }, visibleText(words)), makeButton()),
  };
}

function tryAgain(retry) {
  const node = button(accounts.tryAgain, { className: 'small' });
  node.addEventListener('click', () => retry());
  return node;
}
