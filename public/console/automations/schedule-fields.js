import { automationForm as texts } from '../../language/en/automations.js';
import { WEEKDAYS } from '../../language/en/recurrence.js';
import { machineZone, zoneName, zoneNames } from '../../language/zones.js';
import { element } from '../kit/dom.js';
import { controlOf, entered, inputField, selectField } from '../kit/form-parts.js';

const DEFAULT_TIME = '08:00';
const DAYS_OF_MONTH = Array.from({ length: 31 }, (_, index) => [index + 1, String(index + 1)]);
const DAYS_OF_WEEK = Object.values(WEEKDAYS).map((day) => [day.toLowerCase(), day]);
const LAST_MINUTE = 59;

/** The fields of a schedule. @param schedule what they hold at first @returns `node`, and `read()` for the trigger */
export function scheduleFields(session, schedule) {
  const { every = 'weekday', at = DEFAULT_TIME, on, time_zone: zone } = schedule;
  const everyField = selectField('trigger.every', texts.every, Object.entries(texts.everys), { value: every });
  const zoneField = selectField('trigger.time_zone', texts.zone, zones(zone ?? session.preferences.value.time_zone ?? machineZone()), {
    value: zone ?? session.preferences.value.time_zone ?? machineZone(),
    hint: texts.zoneHint,
  });
  const varying = element('div', { className: 'fields' });
  const ways = () => ({ on: onField(everyOf(), on), at: atField(everyOf(), at) });
  const everyOf = () => controlOf(everyField).value;
  let shown = ways();
  const show = () => {
    shown = ways();
    varying.replaceChildren(...[shown.on, shown.at].filter((one) => one !== undefined));
  };
  controlOf(everyField).addEventListener('change', show);
  show();
  return {
    node: element(
      'div',
      {},
      element('div', { className: 'fields' }, everyField),
      varying,
      element('div', { className: 'fields' }, zoneField),
    ),
    read: () => ({
      type: 'schedule',
      every: everyOf(),
      ...(shown.on !== undefined && { on: everyOf() === 'month' ? Number(entered(shown.on)) : entered(shown.on) }),
      at: everyOf() === 'hour' ? `00:${String(entered(shown.at) ?? 0).padStart(2, '0')}` : entered(shown.at),
      time_zone: controlOf(zoneField).value,
    }),
  };
}

function onField(every, on) {
  if (every === 'week') return selectField('trigger.on', texts.on.week, DAYS_OF_WEEK, { value: on });
  if (every === 'month') return selectField('trigger.on', texts.on.month, DAYS_OF_MONTH, { value: on, hint: texts.monthHint });
  return undefined;
}

function atField(every, at) {
  if (every !== 'hour') return inputField('trigger.at', texts.at, { type: 'time', required: true, value: at });
  const minute = Number(at.slice(-2));
  return inputField('trigger.at', texts.minute, {
    type: 'number',
    required: true,
    min: '0',
    max: String(LAST_MINUTE),
    value: String(minute),
  });
}

/** One for each name. @param chosen is offered, though it may be one that this browser doesn't know */
function zones(chosen) {
  const byName = new Map([...zoneNames(), chosen].map((zone) => [zoneName(zone), zone]));
  return [...byName].toSorted().map(([name, zone]) => [zone, name]);
}
