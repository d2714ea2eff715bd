import { settings } from '../../language/en/settings.js';
import { element } from '../kit/dom.js';
import { dataCards } from './settings-data.js';
import { integrationsCard, waitlistCard } from './settings-integrations.js';
import { modelsCard } from './settings-models.js';
import { operatorCard } from './settings-operator.js';
import { preferencesCard } from './settings-preferences.js';

/** The user's data, the models, and the operator's switches of a development service. */
export const settingsView = {
  name: 'settings',
  title: settings.title,
  about: settings.about,
  mount(root, session) {
    const data = dataCards(session);
    root.append(
      element('div', { className: 'grid wide' }, preferencesCard(session), modelsCard(session)),
      element('div', { className: 'grid wide' }, integrationsCard(session)),
      element('div', { className: 'grid wide' }, data.readOnly, session.isDevelopment ? waitlistCard(session) : undefined),
      element('div', { className: 'grid wide' }, data.exported, data.removal),
      ...(session.operator ? [operatorCard(session)] : []),
    );
  },
};
