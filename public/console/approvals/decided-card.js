import { actionName } from '../../language/en/actions.js';
import { DECIDED } from '../../language/en/questions.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { listState } from '../kit/states.js';
import { formatter } from '../page/page-format.js';
import { decisionsOf } from './decisions.js';
import { endTag, endText } from './question-end.js';

const APPROVED = new Set(['approved', 'edited']);
const LOOK_AGAIN_MS = 1_000;
const FOLLOWED_MS = 60_000;

/**
 * What was decided in the last day, on every page, newest first.
 *
 * @param nameOf the name of a question that this tab has seen, by its id: the audit log has no content
 */
export function decidedCard(session, nameOf) {
  const list = element('ul', { className: 'entries', 'aria-labelledby': 'decided-title' });
  const section = card({ id: 'decided', title: DECIDED.title, about: DECIDED.about }, list);
  const heading = section.querySelector('h2');
  const items = () => decisionsOf(session).map((decision) => item(decision, session, nameOf));
  let state;
  const follow = followRunning(session);
  const render = () => {
    listState(list, heading, session.audit, state, { items, empty: DECIDED.none });
    follow();
  };
  session.audit.state((known) => {
    state = known;
    render();
  });
  session.accounts.watch(render);
  session.events.addEventListener('change', render);
  return section;
}

/** Looks at calls that were just approved until they have ended, of which no event tells. */
function followRunning(session) {
  let timer;
  const isRunning = ({ at, status, outcome }) => APPROVED.has(status) && outcome === undefined && Date.now() - at < FOLLOWED_MS;
  const follow = () => {
    if (timer !== undefined || session.signal.aborted || !decisionsOf(session).some(isRunning)) return;
    timer = setTimeout(async () => {
      await session.audit.refresh().catch(() => {});
      timer = undefined;
      follow();
    }, LOOK_AGAIN_MS);
  };
  return follow;
}

function item(decision, session, nameOf) {
  const { id, at, action, accountId, surface, status } = decision;
  const facts = [session.nameOf(accountId), DECIDED.where[surface]].filter((one) => one !== undefined);
  const time = element('time', { dateTime: new Date(at).toISOString() }, formatter.time(at));
  return element(
    'li',
    { className: 'entry plain decided' },
    element('h3', {}, element('span', { className: 'clamped' }, nameOf(id) ?? actionName(action)), endTag(status)),
    element('p', { className: 'detail' }, endText(decision), ' '),
    element('p', { className: 'detail' }, time, ...facts.map((fact) => ` · ${fact}`)),
  );
}
