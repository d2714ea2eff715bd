import { newChannel as texts } from '../../language/en/notification-channels.js';
import { Failure } from '../page/page-request.js';

/** It only shows messages, so it need not be above the pages. */
const WORKER = '/assets/sw.js';

/** Why this browser can't receive messages: `push` or `denied`; undefined: it can. */
export function obstacle() {
  const isAble = 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
  if (!isAble) return 'push';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}

/**
 * Asks for the permission and subscribes this browser, with its push service. To be called while the user clicks.
 *
 * @param key of the service, by which push services know it (RFC 8292)
 * @returns `{label, subscription}`, as a channel takes them
 * @throws Failure
 */
export async function subscribe(key) {
  if ((await Notification.requestPermission()) !== 'granted') throw new Failure(texts.notAllowed, { code: 'denied' });
  const { pushManager } = await activeWorker();
  const options = { userVisibleOnly: true, applicationServerKey: key };
  let subscription;
  try {
    // One that was made for another key is none of this service's.
    subscription = await pushManager.subscribe(options).catch(async (error) => {
      if (!(await (await pushManager.getSubscription())?.unsubscribe())) throw error;
      return pushManager.subscribe(options);
    });
  } catch {
    throw new Failure(texts.notSubscribed, { code: 'not_subscribed' });
  }
  const { endpoint, keys } = subscription.toJSON();
  return { label: browserName(), subscription: { endpoint, keys } };
}

/** The registration, once its worker can receive messages. */
async function activeWorker() {
  const registration = await navigator.serviceWorker.register(WORKER);
  const coming = registration.installing ?? registration.waiting;
  if (registration.active === null) {
    await new Promise((resolve) => coming.addEventListener('statechange', () => registration.active !== null && resolve()));
  }
  return registration;
}

/** “Chromium on Linux”, as far as the browser says it. */
function browserName() {
  const { brands = [], platform = '' } = navigator.userAgentData ?? {};
  const brand = brands.find(({ brand: name }) => !/not/i.test(name))?.brand;
  const named = /(Firefox|Safari)\//.exec(navigator.userAgent)?.[1];
  return texts.browser(brand ?? named ?? texts.someBrowser, platform);
}
