import { frame } from '../../language/en/frame.js';
import { byId, element } from '../kit/dom.js';

const counts = new Map();

/** Shows a number beside a view's link, and the sum of all on the menu of narrow pages. @param what e.g. ' pending' */
export function showBadge(name, count, what) {
  counts.set(name, count);
  fill(byId(`nav-${name}`), count, what);
  const sum = [...counts.values()].reduce((total, one) => total + one, 0);
  fill(byId('menu-count'), sum, frame.waiting(sum));
}

/** For another user. */
export function clearBadges() {
  for (const name of counts.keys()) showBadge(name, 0, '');
}

function fill(badge, count, what) {
  badge.hidden = count === 0;
  badge.replaceChildren(String(count), element('span', { className: 'unseen' }, what));
}
