import { failedText } from '../../language/en/failures.js';
import { BUTTONS, DECIDED, doneText, ENDS, QUESTION, VIEW } from '../../language/en/questions.js';
import { button } from '../kit/button.js';
import { tag } from '../kit/card.js';
import { element } from '../kit/dom.js';

const TONES = { approved: 'good', edited: 'good', denied: 'bad' };

/** How a question ended, as a tag. */
export function endTag(status) {
  return tag(TONES[status] ?? '', ENDS[status].tag);
}

/** What came of it, in a sentence. @param outcome of the call; undefined: it is not known yet */
export function endText({ status, action, outcome }) {
  if (status !== 'approved' && status !== 'edited') return ENDS[status].text;
  if (outcome === undefined) return `${ENDS[status].text} ${DECIDED.running}`;
  return `${ENDS[status].text} ${outcome === 'ok' ? doneText(action) : failedText(outcome)}`;
}

/**
 * What stands in place of a question that can't be decided any more.
 *
 * @param name of the question; undefined: there is none, or it is not known any more
 * @param end as in decisions.js; undefined: it is not known how
 * @param options.askAgain asks the same again; left out: it can't
 * @param options.links ways on
 */
export function endedCard(name, end, { askAgain, links = [] } = {}) {
  const isOpenToAsk = (end?.status === 'expired' || end?.status === 'ended') && askAgain !== undefined;
  const again = isOpenToAsk ? button(BUTTONS.askAgain, { name }) : undefined;
  again?.addEventListener('click', askAgain);
  return element(
    'article',
    { className: 'approval-card ended', 'aria-label': name === undefined ? VIEW.question : QUESTION.named(name) },
    end && element('p', { className: 'question-state' }, endTag(end.status)),
    name && element('h3', {}, name),
    element('p', {}, end === undefined ? VIEW.gone : endText(end)),
    element('div', { className: 'actions' }, again, ...links),
  );
}
