import { machineZone } from '../../language/zones.js';
import { usePreferences } from './page-format.js';
import { Store } from './page-store.js';

/**
 * Has everything written in the user's language and zone. At their first visit the server learns the zone of their browser.
 *
 * @param session of a user who has just signed in
 */
export function keepPreferences(session) {
  usePreferences({});
  session.preferences.watch((value) => {
    usePreferences(value);
    // What is shown already has times of another zone.
    for (const one of Object.values(session)) if (one instanceof Store && one !== session.preferences) one.show();
  });
  session.preferences
    .refresh()
    .then(() => tellZone(session))
    .catch(session.fail);
}

async function tellZone(session) {
  if (session.preferences.value?.time_zone !== null) return;
  session.preferences.set(await session.request('PATCH', '/user/preferences', { json: { time_zone: machineZone() } }));
}
