import { sourceTools as texts } from '../../language/en/accounts.js';
import { button } from '../kit/button.js';
import { tag } from '../kit/card.js';
import { openDialog } from '../kit/dialog.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { visibleText } from '../page/page-text.js';

const TONES = { allowed: 'good', held: 'attention', blocked: 'bad', gone: '' };
/** What has to be decided first. */
const ORDER = ['held', 'blocked', 'allowed', 'gone'];

/** A button that shows what has changed in a tool, where the user decides on it. @param options as of {@link showTools} */
export function changeButton(session, account, options) {
  const node = button(texts.look, {
    name: options?.tool === undefined ? undefined : visibleText(options.tool),
    className: 'small primary',
  });
  node.addEventListener('click', () => run(node, session.fail, () => showTools(session, account, options)));
  return node;
}

/**
 * Shows the tools of a connection, what has changed in them, and takes the user's decisions.
 *
 * @param options.tool only this one
 * @param options.onDecided is called after each decision
 */
export async function showTools(session, account, { tool: only, onDecided } = {}) {
  const path = `/auth/sources/accounts/${encodeURIComponent(account.id)}/tools`;
  const read = async () => (await session.request('GET', path)).tools.filter(({ tool }) => only === undefined || tool === only);
  const list = element('ul', { className: 'entries tools' });
  const show = (tools) => {
    const inOrder = tools.toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
    list.replaceChildren(...inOrder.map((tool) => item(tool, decide)));
    if (tools.length === 0) list.replaceChildren(element('li', { className: 'muted' }, texts.none));
  };
  const decide = async ({ tool, hash }, decision) => {
    await session.request('POST', `${path}/${encodeURIComponent(tool)}`, { json: { decision, hash } });
    session.notify('done', (decision === 'allow' ? texts.isAllowed : texts.isBlocked)(visibleText(tool)));
    show(await read());
    onDecided?.();
    await session.load('accounts', 'agents');
  };
  show(await read());
  await openDialog({ title: texts.title(account.label), text: texts.about, leave: texts.close }, list).closed;

  function item(tool, decideOn) {
    const { state, pinned_by: pinnedBy, approved, listed, changed } = tool;
    const isHeld = state === 'held';
    return element(
      'li',
      { className: 'entry' },
      element(
        'div',
        {},
        element('h3', {}, visibleText(tool.tool), tag(TONES[state], texts.states[state])),
        element('p', { className: 'detail' }, about(tool)),
        ...(isHeld ? [differences(approved, listed, changed)] : []),
        ...(pinnedBy === 'operator' ? [element('p', { className: 'detail' }, texts.byOperator)] : []),
      ),
      element('div', { className: 'actions' }, ...(pinnedBy === 'operator' ? [] : decisions(tool, decideOn))),
    );
  }

  function decisions(tool, decideOn) {
    const { state, hash } = tool;
    const one = (text, decision) => {
      const node = button(text, { name: visibleText(tool.tool), className: 'small' });
      node.addEventListener('click', () => run(node, session.fail, () => decideOn(tool, decision)));
      return node;
    };
    if (hash === undefined) return [];
    return [
      ...(state === 'held' || state === 'blocked' ? [one(texts.allow, 'allow')] : []),
      ...(state === 'held' || state === 'allowed' ? [one(texts.block, 'block')] : []),
    ];
  }
}

function about({ state, problem, approved, listed, changed }) {
  if (problem !== undefined) return texts.unusable(visibleText(problem));
  return state === 'held' ? whyHeld({ approved, changed }) : firstLine(approved ?? listed);
}

function whyHeld({ approved, changed }) {
  return approved === undefined ? texts.isNew : texts.changed(changed.map((field) => texts.fields[field] ?? field));
}

function firstLine(definition) {
  return visibleText((definition?.description ?? definition?.title ?? '').split('\n', 1)[0]);
}

/** Each field as it was allowed, and as it is now. */
function differences(approved, listed, changed) {
  const fields = approved === undefined ? Object.keys(listed ?? {}).filter((field) => field !== 'name') : changed;
  const rows = fields.map((field) =>
    element(
      'div',
      {},
      element('dt', {}, texts.fields[field] ?? field),
      ...(approved === undefined ? [] : [side(texts.before, approved[field])]),
      side(texts.now, listed?.[field]),
    ),
  );
  return element('dl', { className: 'differences' }, ...rows);
}

function side(name, value) {
  const text = value === undefined ? texts.nothing : typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return element('dd', {}, element('span', { className: 'muted' }, name), element('pre', { tabIndex: 0 }, visibleText(text)));
}
