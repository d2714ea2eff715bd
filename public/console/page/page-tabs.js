const channel = new BroadcastChannel('steward');

/** Tells the console in this browser's other tabs that something has changed; never what. */
export function tellTabs(what) {
  channel.postMessage(what);
}

/** @param told receives what another tab tells */
export function onTabs(told, signal) {
  channel.addEventListener('message', ({ data }) => told(data), { signal });
}
