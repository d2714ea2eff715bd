/** The list is loaded this long after a question's time is up, and no sooner than this after it was loaded. */
const AFTER_MS = 1_000;

/** Loads the open questions again when the time of one is up, so that nothing says that it waits. */
export function reloadAtExpiry(session) {
  let timer;
  session.signal.addEventListener('abort', () => clearTimeout(timer));
  session.approvals.watch((approvals) => {
    clearTimeout(timer);
    if (approvals.length === 0) return;
    const next = Math.min(...approvals.map(({ expiresAt }) => Date.parse(expiresAt)));
    timer = setTimeout(() => session.load('approvals'), Math.max(0, next - Date.now()) + AFTER_MS);
  });
}
