import { notificationsView as texts } from '../../language/en/notification-channels.js';
import { lazyView } from '../page/page-lazy-view.js';

/** Where the user is told something while the console is closed. */
export const notificationsView = lazyView(
  { name: 'notifications', title: texts.title, about: texts.about },
  {
    load: async () => (await import('./notifications-page.js')).notificationsPage,
    styles: ['/assets/console/kit/form-parts.css'],
  },
);
