import { LANGUAGES, preferences as texts } from '../../language/en/preferences.js';
import { machineZone, zoneName, zoneNames } from '../../language/zones.js';
import { button } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { onSubmit } from '../kit/feedback.js';
import { field } from '../kit/field.js';
import { showRegion } from '../kit/states.js';

/** What the user is called, their time zone and language. */
export function preferencesCard(session) {
  const name = element('input', { id: 'preferences-name', name: 'name', maxLength: 100, autocomplete: 'name' });
  const zone = element('select', { id: 'preferences-zone', name: 'time_zone' });
  const language = element('select', { id: 'preferences-language', name: 'language' });
  const form = element(
    'form',
    { className: 'preferences-form' },
    field(texts.name, name),
    field(texts.zone, zone, texts.zoneHint(zoneName(machineZone()))),
    field(texts.language, language),
    element('div', { className: 'actions' }, button(texts.save, { type: 'submit', className: 'primary' })),
  );
  const body = element('div', {});
  showRegion(body, session.preferences, (value) => {
    // A form that was sent is reset to its defaults.
    name.defaultValue = value.name ?? '';
    name.value = name.defaultValue;
    zone.replaceChildren(...options(zoneNames(), value.time_zone ?? machineZone(), zoneName));
    language.replaceChildren(...options(Object.keys(LANGUAGES), value.language ?? 'en', (tag) => LANGUAGES[tag] ?? tag));
    return [form];
  });
  onSubmit(form, session.fail, async () => {
    const json = { name: name.value.trim() || null, time_zone: zone.value, language: language.value };
    session.preferences.set(await session.request('PATCH', '/user/preferences', { json }));
    session.notify('done', texts.saved);
  });
  return card({ id: 'preferences', title: texts.title, about: texts.about }, body);
}

/** One for each name. @param chosen is offered, though it may be one that this browser doesn't know, or by another name */
function options(values, chosen, nameOf) {
  const byName = new Map([...values, chosen].map((value) => [nameOf(value), value]));
  return [...byName]
    .toSorted()
    .map(([name, value]) => element('option', { value, defaultSelected: value === chosen, selected: value === chosen }, name));
}
