// @ts-check
/// <reference lib="webworker" />

/** Shows what Steward sends to this browser. It answers no request: the pages work without it. */
const worker = /** @type {ServiceWorkerGlobalScope} */ (/** @type {unknown} */ (self));

worker.addEventListener('push', (event) => event.waitUntil(show(read(event))));
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(addressOf(event.notification.data)));
});

/** @param {PushEvent} event @returns {Record<string, unknown>} */
function read(event) {
  try {
    return event.data?.json() ?? {};
  } catch {
    return {};
  }
}

/** Browsers require that each message is shown. @param {Record<string, unknown>} message */
function show({ id, title, body, path }) {
  return worker.registration.showNotification(text(title) || 'Steward', {
    body: text(body),
    // The same message, sent again, replaces itself.
    tag: text(id),
    icon: '/assets/favicon.svg',
    data: text(path),
  });
}

/** @param {unknown} value */
function text(value) {
  return typeof value === 'string' ? value : '';
}

/** A page of this service; for anything else, its first one. @param {unknown} path */
function addressOf(path) {
  const url = new URL(text(path) || '/', worker.location.origin);
  return url.origin === worker.location.origin ? url.href : worker.location.origin;
}

/** In the window that shows it, or else in a new one. @param {string} address */
async function open(address) {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const shown = windows.find(({ url }) => url === address);
  return shown === undefined ? worker.clients.openWindow(address) : shown.focus();
}
