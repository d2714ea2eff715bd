import { actionName } from '../../public/language/en/actions.js';
import { PAGE, QUESTION_PAGE, timeLeft, viewerCount, withAccount } from '../../public/language/en/approvals.js';
import type { Formatter } from '../../public/language/formatter.js';
import type { EndedQuestion } from '../executor/approvals/ended-questions.ts';
import type { LinkedPreview } from '../executor/executor.ts';
import { html, type SafeHtml } from '../http/pages/html.ts';
import type { Page, PageUser } from '../http/pages/own-page.ts';
import { inline } from '../http/pages/visible-text.ts';
import { askedBy } from './asker-html.ts';
import { endOf } from './end-page.ts';

/** The pending approvals of a user, and below them what was decided in the last day. @param now milliseconds since 1970 */
export function listPage(
  user: PageUser,
  approvals: readonly LinkedPreview[],
  ended: readonly EndedQuestion[],
  now: number,
  formatter: Formatter,
): Page {
  const list =
    approvals.length === 0
      ? html`<p>${PAGE.nothing}</p>`
      : html`<ul class="approvals">${approvals.map((one) => pendingEntry(one, now))}</ul>`;
  const decided =
    ended.length > 0 && html`<h2>${PAGE.decided}</h2>\n<ul class="approvals">${ended.map((one) => endedEntry(one, formatter))}</ul>`;
  return { title: QUESTION_PAGE.title, body: html`<h1>${QUESTION_PAGE.title}</h1>\n${list}\n${decided}`, user };
}

function pendingEntry(approval: LinkedPreview, now: number): SafeHtml {
  const { approvalId, display, account, expiresAt } = approval;
  const asked = askedBy(approval);
  const seen = display.viewers.length === 0 ? PAGE.onlyYou : viewerCount(display.viewers, display.more);
  return html`<li>
<a href="/approvals/${approvalId}" class="cut">${inline(display.title)}</a>
<p class="muted">${PAGE.whoSees}: ${seen}</p>
<p class="muted">${withAccount} ${inline(account)}, ${timeLeft(Date.parse(expiresAt) - now)}</p>${asked && html`\n<p class="muted">${asked}</p>`}
</li>
`;
}

function endedEntry(ended: EndedQuestion, formatter: Formatter): SafeHtml {
  return html`<li>
<a href="/approvals/${ended.id}">${actionName(ended.use)}</a>
<p class="muted">${endOf(ended, formatter)}</p>
</li>
`;
}
