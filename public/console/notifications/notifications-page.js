import { element } from '../kit/dom.js';
import { Store } from '../page/page-store.js';
import { channelList } from './channel-list.js';
import { newChannelCard } from './new-channel-card.js';
import { quietHoursCard } from './quiet-hours-card.js';

/** The channels, a form that adds one, and quiet hours. @returns what the router calls */
export function notificationsPage(root, session) {
  const channels = new Store(() => session.request('GET', '/notifications/channels'));
  const load = () => channels.refresh().catch((error) => channels.value !== undefined && session.fail(error));
  root.append(
    channelList(session, channels, load),
    element('div', { className: 'grid wide' }, newChannelCard(session, channels, load), quietHoursCard(session)),
  );
  // An address is confirmed in another tab.
  addEventListener('focus', () => root.checkVisibility() && load(), { signal: session.signal });
  return { shown: load };
}
