// Tells the page that opened the sandbox's Link page how it ended, and closes it.
const result = document.getElementById('link-result');
if (window.opener && result) {
  const { origin, outcome, publicToken, institutionId, institutionName } = result.dataset;
  const institution = institutionId ? { institution_id: institutionId, name: institutionName } : null;
  const message = { type: 'steward-sandbox-link', outcome, public_token: publicToken || null, institution };
  // The server has checked the origin: a page of any other gets nothing.
  window.opener.postMessage(message, origin);
  window.close();
}
