import { button } from '../kit/button.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run, show, showError } from '../kit/feedback.js';
import { formatter } from '../page/page-format.js';
import { Failure } from '../page/page-request.js';
import { quotedText, visibleText } from '../page/page-text.js';
import { argumentsView } from './approval-arguments.js';
import { inputEditor, rememberField } from './approval-fields.js';
import { audienceList, matchList, noticeList, provenanceList, section } from './approval-question.js';

const TICK_MS = 1_000;
/** Errors after which the same question may be decided again. */
const STILL_OPEN = new Set([
  'invalid_request',
  'disconnected',
  'rate_limited',
  'unavailable',
  'too_large',
  'missing_scopes',
  'reauth_required',
]);
const CHANGED = 'The arguments are changed. Approve with these arguments, or close the editor.';

/**
 * A question to the user: what would happen, who sees it, what was read before, the exact arguments, and the decision.
 * An error that leaves the question open is shown in the card.
 *
 * @param preview as `approvals()` of the client returns it, or the descriptor in a chat
 * @param options.session of the page
 * @param options.client default the session's
 * @param options.configured the action in the list of agents, if it is known; without it, nothing can be allowed in advance
 * @param options.onDecided receives `{approved, result, error}`; `error` if the call failed, or others would see the changed call
 */
export function approvalCard(preview, { session, client = session.client, configured, onDecided }) {
  const { approvalId, action, account, audience = [], notices, matches, provenance, input, url, client: asker } = preview;
  const summary = visibleText(preview.summary);
  const result = element('div', { className: 'result', role: 'alert' });
  const { field: days, read: readDays } = rememberField({ ...preview, audience }, configured);
  const { field: editor, read: readInput, isChanged } = inputEditor(input);
  const decide = (text, className, options) => {
    const node = button(text, { name: summary, className });
    const decision = async () => {
      result.replaceChildren();
      onDecided(await decided(client, approvalId, options()));
    };
    node.addEventListener('click', () => run(node, (error) => showError(result, error), decision));
    return node;
  };
  editor.append(decide('Approve with these arguments', '', () => ({ approved: true, input: readInput(), ...readDays() })));
  const approve = decide('Approve', 'primary', () => {
    if (isChanged()) throw new Failure(CHANGED, { code: 'invalid_request' });
    return { approved: true, ...readDays() };
  });
  const deny = decide('Deny', '', () => ({ approved: false }));
  const card = element(
    'article',
    { className: 'approval-card', 'aria-label': `Question: ${summary}` },
    element(
      'header',
      {},
      tag('attention', 'Needs your decision'),
      countdown(preview.expiresAt, () => expire(card, result)),
    ),
    element('h3', {}, summary),
    element('p', { className: 'result-facts' }, element('code', {}, action), ` with ${visibleText(account)} · `, pageLink(url, summary)),
    askerLine(asker),
    section('Who sees it', audienceList(audience)),
    ...noticeList(notices, { audience, matches }),
    ...matchList(matches),
    argumentsView(input, matches),
    ...provenanceList(provenance),
    days,
    element('div', { className: 'actions' }, approve, deny),
    editor,
    result,
  );
  return card;
}

/** A client's name is its own words, unless it is a token. */
function askerLine(asker) {
  if (asker === undefined) return undefined;
  const who = asker.kind === 'oauth' ? 'Asked by an app that calls itself ' : 'Asked by your token ';
  const about = asker.about === null ? '' : ` ${visibleText(asker.about)}`;
  return element('p', {}, who, element('q', {}, element('bdi', {}, quotedText(asker.name))), `.${about}`);
}

async function decided(client, approvalId, { approved, ...options }) {
  try {
    return { approved, result: await client.approve(approvalId, approved, options) };
  } catch (error) {
    if (STILL_OPEN.has(error.code)) throw error;
    return { approved, error };
  }
}

/** The time left, as a number that nobody is told each second. */
function countdown(expiresAt, onExpiry) {
  const node = element('span', { className: 'countdown', title: `until ${formatter.time(expiresAt)}` });
  const tick = () => {
    const left = Date.parse(expiresAt) - Date.now();
    node.textContent = left > 0 ? `${formatter.countdown(left)} left` : 'expired';
    // A card that was replaced no longer counts.
    if (left > 0) setTimeout(() => node.isConnected && tick(), TICK_MS);
    else onExpiry();
  };
  // After it was put into the page.
  setTimeout(tick);
  return node;
}

function expire(card, result) {
  for (const node of card.querySelectorAll('.actions .button, details .button')) node.disabled = true;
  show(result, 'warning', 'Nobody decided in time. The action has not run.');
}

function pageLink(href, summary) {
  return element('a', { href, 'aria-label': `Open its own page: ${summary}` }, 'Open its own page');
}
