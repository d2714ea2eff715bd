import { pages } from '../../../public/language/en/pages.js';
import { html, type SafeHtml } from './html.ts';

/** Where a page leads when all is done. */
export interface WayOn {
  /** Of http or https; nothing else is a link. */
  url: string;
  /** Named by its host; left out: as the app. */
  host?: string | undefined;
}

/** After a decision: the way back to where the user came from, or that there is nothing more to do. */
export function wayOn(back: WayOn | undefined): SafeHtml {
  if (back === undefined || !/^https?:\/\//i.test(back.url)) return html`<p>${pages.close}</p>`;
  return html`<p><a class="button" href="${back.url}">${back.host === undefined ? pages.backToApp : pages.backTo(back.host)}</a></p>`;
}

/** The website of an app whose redirects go to this host; undefined: it runs on the user's own machine, or nobody knows. */
export function websiteOf(redirectHost: string | null): WayOn | undefined {
  if (redirectHost === null || !/^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/.test(redirectHost)) return undefined;
  return { url: `https://${redirectHost}/`, host: redirectHost };
}
