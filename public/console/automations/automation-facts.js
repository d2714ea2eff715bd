import { actionName } from '../../language/en/actions.js';
import { doesWords, triggerWords } from '../../language/en/automation-words.js';
import { automationRuns, automations as texts } from '../../language/en/automations.js';
import { reasonOf } from '../../language/en/failures.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { linkTo } from '../page/page-address.js';
import { formatter } from '../page/page-format.js';
import { isolated, quotedText, visibleText } from '../page/page-text.js';

/** When it runs and what it does, in one sentence. */
export function summaryOf(session, { trigger, does }) {
  const nameOf = (id) => session.nameOf(id);
  const when = triggerWords(trigger, { formatter, nameOf, quoted: (text) => isolated(quotedText(text)) });
  return texts.summary(when, doesWords(does, does.action === undefined ? undefined : visibleText(actionName(does.action))));
}

/** Labels beside its name: why it is paused, and how its last run went. */
export function tagsOf({ state, paused_by: pausedBy, last_run: last }) {
  const paused =
    state === 'active' ? undefined : tag(pausedBy === 'user' ? '' : 'attention', texts.pausedBy[pausedBy] ?? texts.pausedBy.user);
  const asks = last?.status === 'waiting' ? tag(...automationRuns.status.waiting) : undefined;
  return [paused, asks].filter((one) => one !== undefined);
}

/** “next Tue, 1 Dec 2026, 08:00 · last run Mon, 30 Nov 2026, 08:00: Done”. */
export function factsOf(automation) {
  const { next_run_at: next, last_run: last } = automation;
  const said = [...(next === null ? [] : [texts.next(formatter.dateTime(next))]), ...lookFacts(automation)];
  if (last === null) said.push(texts.neverRun);
  else said.push(texts.lastRun(formatter.dateTime(last.started_at ?? last.planned_at)));
  const words = said.join(' · ');
  return last === null ? [words] : [`${words}: `, runStatus(last)];
}

/** How a run stands, with the reason, and leading to its conversation. */
function runStatus({ status, error, thread_id: thread }) {
  const [, words] = automationRuns.status[status] ?? ['', status];
  const text = error === null ? words : `${words}: ${reasonOf(error)}`;
  return thread === null ? text : element('a', { href: linkTo('chat', thread) }, text);
}

function lookFacts({ trigger, state, last_looked_at: looked, look_error: error }) {
  if (trigger.type !== 'event' || state !== 'active') return [];
  const time = looked === null ? texts.notLooked : texts.looked(formatter.dateTime(looked));
  return error === null ? [time] : [time, texts.lookFailed(reasonOf(error))];
}
