import { quietHours as texts } from '../../language/en/notification-channels.js';
import { machineZone, zoneWords } from '../../language/zones.js';
import { button } from '../kit/button.js';
import { card } from '../kit/card.js';
import { element } from '../kit/dom.js';
import { run } from '../kit/feedback.js';
import { controlOf, inputField, tickBox } from '../kit/form-parts.js';
import { showRegion } from '../kit/states.js';

const DEFAULT = { from: '22:00', to: '07:00' };

/** When the user isn't told what can wait. */
export function quietHoursCard(session) {
  const on = tickBox(texts.on);
  const box = on.querySelector('input');
  const from = inputField('quiet_hours.from', texts.from, { type: 'time', required: true });
  const to = inputField('quiet_hours.to', texts.to, { type: 'time', required: true });
  const times = element('div', { className: 'fields' }, from, to);
  const about = element('p', { className: 'muted about' });
  const save = button(texts.save, { type: 'submit' });
  const form = element('form', {}, on, times, element('p', { className: 'row' }, save));
  const showTimes = () => {
    times.hidden = !box.checked;
  };
  box.addEventListener('change', showTimes);
  const body = element('div', {});
  showRegion(body, session.preferences, ({ quiet_hours: quiet, time_zone: zone }) => {
    box.checked = Boolean(quiet);
    const { from: begin, to: end } = quiet ?? DEFAULT;
    controlOf(from).value = begin;
    controlOf(to).value = end;
    about.textContent = texts.about(zoneWords(zone ?? machineZone(), undefined));
    showTimes();
    return [about, form];
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    run(save, session.fail, async () => {
      const quiet = box.checked ? { from: controlOf(from).value, to: controlOf(to).value } : null;
      session.preferences.set(await session.request('PATCH', '/user/preferences', { json: { quiet_hours: quiet } }));
      session.notify('done', texts.saved);
    });
  });
  return card({ id: 'quiet-hours', title: texts.title }, body);
}
