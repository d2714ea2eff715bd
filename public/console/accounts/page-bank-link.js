import { bank } from '../../language/en/accounts.js';
import { element } from '../kit/dom.js';
import { Failure } from '../page/page-request.js';

const WIDGET = 'https://cdn.plaid.com/link/v2/stable/link-initialize.js';
const CLOSED_CHECK_MS = 500;

/**
 * Lets the user select a bank: on the sandbox's page if the server returns one, otherwise in the aggregator's widget.
 *
 * @returns `{publicToken}` (nothing to exchange in update mode), or undefined when the user cancelled
 * @throws Failure
 */
export function chooseBank({ link_url: linkUrl, link_token: linkToken }) {
  return linkUrl === undefined ? openWidget(linkToken) : openLinkPage(linkUrl);
}

async function openLinkPage(linkUrl) {
  const url = new URL(linkUrl);
  url.searchParams.set('origin', location.origin);
  const popup = window.open(url, 'steward-link', 'popup,width=480,height=760');
  if (popup === null) {
    throw new Failure(bank.blocked, { code: 'blocked' });
  }
  const listening = new AbortController();
  try {
    return await Promise.race([messageFrom(popup, url.origin, listening.signal), closingOf(popup, listening.signal)]);
  } finally {
    listening.abort();
  }
}

/** Accepts only messages of this window from the server's origin: any page can send messages. */
function messageFrom(popup, expectedOrigin, signal) {
  return new Promise((resolve) => {
    const receive = ({ origin, source, data }) => {
      if (origin !== expectedOrigin || source !== popup || data?.type !== 'steward-sandbox-link') return;
      resolve(data.outcome === 'cancelled' ? undefined : { publicToken: data.public_token });
    };
    window.addEventListener('message', receive, { signal });
  });
}

/** There is no event for a closed window. Checked twice, so that a message sent before closing arrives first. */
function closingOf(popup, signal) {
  return new Promise((resolve) => {
    let seen = 0;
    const timer = setInterval(() => {
      if (popup.closed) seen++;
      if (seen === 2) resolve(undefined);
    }, CLOSED_CHECK_MS);
    signal.addEventListener('abort', () => clearInterval(timer));
  });
}

async function openWidget(token) {
  await loadWidget();
  return new Promise((resolve, reject) => {
    const handler = window.Plaid.create({
      token,
      onSuccess: (publicToken) => resolve({ publicToken }),
      onExit: (error) => {
        if (error === null) resolve(undefined);
        else reject(new Failure(error.display_message || bank.notConnected, { code: error.error_code }));
      },
    });
    handler.open();
  });
}

function loadWidget() {
  if (window.Plaid !== undefined) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const script = element('script', { src: WIDGET });
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      script.remove();
      reject(new Failure(bank.noWidget, { code: 'unreachable' }));
    });
    document.head.append(script);
  });
}
