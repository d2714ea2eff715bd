import { actionName } from '../../public/language/en/actions.js';
import {
  END_REASONS,
  END_TITLES,
  ENDS,
  KEPT,
  NO_QUESTION,
  NO_QUESTION_TITLE,
  OUTCOMES,
  PAGE,
  QUESTION_PAGE,
  withAccount,
} from '../../public/language/en/approvals.js';
import { failedText } from '../../public/language/en/failures.js';
import type { Formatter } from '../../public/language/formatter.js';
import type { ErrorCode } from '../errors.ts';
import type { EndedQuestion } from '../executor/approvals/ended-questions.ts';
import type { LinkedPreview } from '../executor/executor.ts';
import { html, type SafeHtml } from '../http/pages/html.ts';
import type { Page, PageUser } from '../http/pages/own-page.ts';
import { inline } from '../http/pages/visible-text.ts';
import { type WayOn, wayOn } from '../http/pages/way-on.ts';

/** How a decision ended. */
export interface End {
  heading: string;
  text: string;
  /** What was decided on; undefined: nothing. */
  about?: Pick<LinkedPreview, 'display' | 'account'> | undefined;
  /** Of the error; undefined: there is none. */
  code?: ErrorCode;
  /** Id of the approval, if it still waits. */
  pending?: string | undefined;
  /** Where the app that asked has its website. */
  back?: WayOn | undefined;
}

/** The end of a decision. */
export function endPage(user: PageUser, { heading, text, about, code, pending, back }: End): Page {
  const body = html`<h1>${heading}</h1>
<p class="${code === undefined ? 'outcome' : 'error'}" role="status">${inline(text)}</p>
${about !== undefined && html`<p class="muted">${inline(about.display.title)}.${about.account !== '' && html` ${withAccount} ${inline(about.account)}.`}</p>\n`}
${code !== undefined && details(code)}
${pending !== undefined && html`<p>${QUESTION_PAGE.stillWaits}<a href="/approvals/${pending}">${QUESTION_PAGE.backToIt}</a></p>`}
${pending === undefined && wayOn(back)}
<p><a href="/approvals">${PAGE.all}</a></p>`;
  return { title: heading, body, user };
}

/** For another user's question, too. */
export function noQuestionPage(user: PageUser): Page {
  return endPage(user, { heading: NO_QUESTION_TITLE, text: NO_QUESTION, code: 'not_found' });
}

/** A question that was decided, or has ended: what it was, and what became of it. */
export function endedPage(user: PageUser, ended: EndedQuestion, formatter: Formatter): Page {
  const heading = `${actionName(ended.use)}: ${END_TITLES[ended.end].toLowerCase()}`;
  const body = html`<h1>${heading}</h1>
<p class="outcome" role="status">${endOf(ended, formatter)}</p>
${
  ended.account !== undefined &&
  html`<p class="muted">${withAccount} ${inline(ended.account)}.</p>
`
}<p class="muted">${KEPT}</p>
${details(ended.action, ended.outcome === 'ok' ? undefined : ended.outcome)}
<p><a href="/approvals">${PAGE.all}</a></p>`;
  return { title: heading, body, user };
}

/** Names for those who look for a fault. */
function details(...names: (string | undefined)[]): SafeHtml {
  return html`<details class="exact"><summary>${PAGE.exact}</summary>
<p>${names.filter((name) => name !== undefined).map((name) => html`<code>${name}</code> `)}</p>
</details>`;
}

/** In sentences. */
export function endOf({ end, edited, at, reason, outcome, use }: EndedQuestion, formatter: Formatter): string {
  const time = formatter.zonedTime(at.toISOString());
  if (end === 'approved') return `${(edited ? ENDS.edited : ENDS.approved)(time)} ${outcomeOf(use, outcome)}`;
  const why = reason === undefined ? undefined : (END_REASONS as Readonly<Record<string, string>>)[reason];
  return why === undefined ? ENDS[end](time) : `${ENDS[end](time)} ${why}`;
}

function outcomeOf(use: string, outcome: string | undefined): string {
  if (outcome === undefined) return OUTCOMES.running;
  return outcome === 'ok' ? ((OUTCOMES.done as Readonly<Record<string, string>>)[use] ?? OUTCOMES.other) : failedText(outcome);
}
