// Tells the page that opened the sandbox's Link page how it ended, and closes it. Without such a page, the token can be copied.
const result = document.getElementById('link-result');
const { origin, outcome, publicToken, institutionId, institutionName } = result?.dataset ?? {};
if (window.opener && result) {
  const institution = institutionId ? { institution_id: institutionId, name: institutionName } : null;
  const message = { type: 'steward-sandbox-link', outcome, public_token: publicToken || null, institution };
  // The server has checked the origin: a page of any other gets nothing.
  window.opener.postMessage(message, origin);
  window.close();
}

const copy = document.getElementById('copy-token');
if (copy) {
  copy.hidden = false;
  copy.addEventListener('click', async () => {
    // Browsers have no clipboard for pages over http, except on this machine.
    const copied = await navigator.clipboard?.writeText(publicToken).then(
      () => true,
      () => false,
    );
    copy.textContent = copied ? copy.dataset.copied : copy.dataset.notCopied;
  });
}
