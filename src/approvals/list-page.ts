import { actionName } from '../../public/language/en/actions.js';
import { PAGE, QUESTION_PAGE, timeLeft, viewerCount, withAccount } from '../../public/language/en/approvals.js';
import type { Formatter } from '../../public/language/formatter.js';
import type { EndedQuestion } from '../executor/approvals/ended-questions.ts';
import type { DisplayField } from '../executor/display/display-fields.ts';
import type { LinkedPreview } from '../executor/executor.ts';
import { html, type SafeHtml } from '../http/pages/html.ts';
import type { Page, PageUser } from '../http/pages/own-page.ts';
import { inline } from '../http/pages/visible-text.ts';
import { shortened } from '../validation/cut-text.ts';
import { askedBy } from './asker-html.ts';
import { endOf } from './end-page.ts';

const MAX_NAMED = 2;
const MAX_SHOWN = 80;

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
      : html`<ul class="approvals">${approvals.map((one) => pendingEntry(one, now, formatter))}</ul>`;
  const decided =
    ended.length > 0 && html`<h2>${PAGE.decided}</h2>\n<ul class="approvals">${ended.map((one) => endedEntry(one, formatter))}</ul>`;
  return { title: QUESTION_PAGE.title, body: html`<h1>${QUESTION_PAGE.title}</h1>\n${list}\n${decided}`, user };
}

function pendingEntry(approval: LinkedPreview, now: number, formatter: Formatter): SafeHtml {
  const { approvalId, display, account, expiresAt } = approval;
  const asked = askedBy(approval, formatter);
  const seen = display.viewers.length === 0 ? PAGE.onlyYou : viewerCount(display.viewers, display.more);
  return html`<li>
<a href="/approvals/${approvalId}" class="cut">${inline(display.title)}${aboutOf(display)}</a>
<p class="muted">${PAGE.whoSees}: ${seen}</p>
<p class="muted">${account !== '' && html`${withAccount} ${inline(account)}, `}${timeLeft(Date.parse(expiresAt) - now)}</p>${asked && html`\n<p class="muted">${asked}</p>`}
</li>
`;
}

/** Whom and which thing a question is about, which tells it from others: “: zoe@example.org, Lunch”. */
function aboutOf({ viewers, fields }: LinkedPreview['display']): SafeHtml[] {
  const people = viewers.slice(0, MAX_NAMED).map(({ address, name = '' }) => address ?? name);
  const [thing] = fields.flatMap(thingOf);
  const named = thing === undefined ? people : [...people, thing];
  return named.map((one, index) => html`${index === 0 ? ': ' : ', '}${inline(shortened(one, MAX_SHOWN))}`);
}

function thingOf(field: DisplayField): string[] {
  if (field.kind === 'file') return field.files.slice(0, 1).map(({ name }) => name);
  return field.kind === 'text' || field.kind === 'block' ? [field.text] : [];
}

function endedEntry(ended: EndedQuestion, formatter: Formatter): SafeHtml {
  return html`<li>
<a href="/approvals/${ended.id}">${actionName(ended.use)}</a>
<p class="muted">${endOf(ended, formatter)}</p>
</li>
`;
}
