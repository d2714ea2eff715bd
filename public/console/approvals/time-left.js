import { timeLeft as timeLeftIn } from '../../language/en/approvals.js';
import { QUESTION } from '../../language/en/questions.js';
import { element } from '../kit/dom.js';
import { formatter } from '../page/page-format.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** The time left, in words that nobody is told each second. @param onExpiry called once there is none */
export function timeLeft(expiresAt, onExpiry) {
  const node = element('span', { className: 'countdown', title: QUESTION.until(formatter.time(expiresAt)) });
  const tick = () => {
    const left = Date.parse(expiresAt) - Date.now();
    node.textContent = left > 0 ? wordsOf(left) : '';
    // A card that was replaced no longer counts.
    if (left > 0) setTimeout(() => node.isConnected && tick(), SECOND_MS);
    else onExpiry();
  };
  // After it was put into the page.
  setTimeout(tick);
  return node;
}

function wordsOf(ms) {
  return ms < MINUTE_MS ? QUESTION.secondsLeft(Math.ceil(ms / SECOND_MS)) : timeLeftIn(ms);
}
