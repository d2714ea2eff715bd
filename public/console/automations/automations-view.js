import { automations as texts } from '../../language/en/automations.js';
import { lazyView } from '../page/page-lazy-view.js';

/** What runs by itself: list, templates, form, runs. */
export const automationsView = lazyView(
  { name: 'automations', title: texts.title, about: texts.about },
  {
    load: async () => (await import('./automations-page.js')).automationsPage,
    styles: ['/assets/console/kit/form-parts.css', '/assets/console/automations/automations.css'],
  },
);
