import { sourceEntry as words } from '../../public/language/en/pages.js';
import { html } from '../http/pages/html.ts';
import type { Page, PageUser } from '../http/pages/own-page.ts';
import { inline } from '../http/pages/visible-text.ts';
import type { SourceSettings } from '../providers/mcp/source-settings.ts';

export interface EntryQuestion {
  user: PageUser;
  /** Path of the page, to which its forms are posted. */
  path: string;
  source: SourceSettings;
}

/** Asks for the value of a source's header, or whether to connect one that asks for none. What is entered is never shown again. */
export function entryPage({ user, path, source }: EntryQuestion): Page {
  const { label, url, auth } = source;
  const host = new URL(url).host;
  const field =
    auth === 'header' &&
    html`<div class="field"><label for="value">${words.value}</label>
<input id="value" name="value" type="password" required maxlength="4096" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="value-hint">
<p class="muted" id="value-hint"><small>${words.hint(host)}</small></p></div>
`;
  const body = html`<h1>${words.heading}</h1>
<p>${words.connect}<strong>${inline(label)}</strong>${words.at}<strong>${host}</strong>${words.to}<strong>${inline(user.label)}</strong>?</p>
<p>${words.sees}</p>
<form id="connect" method="post" action="${path}">
<input type="hidden" name="csrf" value="${user.session?.csrf}">
<input type="hidden" name="decision" value="connect">
${field}<div class="choices">
<button class="button primary" type="submit">${words.yes}</button>
<button class="button" type="submit" form="cancel">${words.no}</button>
</div>
</form>
<form id="cancel" method="post" action="${path}">
<input type="hidden" name="csrf" value="${user.session?.csrf}">
<input type="hidden" name="decision" value="cancel">
</form>`;
  return { title: words.title, body, user };
}
