import {
  andMore,
  changeTitle,
  PAGE,
  QUESTION_PAGE,
  REMEMBER,
  timeLeft,
  viewerCount,
  withAccount,
} from '../../public/language/en/approvals.js';
import type { Formatter } from '../../public/language/formatter.js';
import type { DisplayViewer } from '../executor/display/shown-viewers.ts';
import type { LinkedPreview } from '../executor/executor.ts';
import { html, type SafeHtml } from '../http/pages/html.ts';
import type { Page, PageUser } from '../http/pages/own-page.ts';
import { inline, quotation, withoutHidden } from '../http/pages/visible-text.ts';
import { askedBy, whose } from './asker-html.ts';
import type { FormField } from './change-form.ts';
import { changeFields, type FieldProblem } from './change-html.ts';
import { editableJson, editableText } from './editable-json.ts';
import { fieldsHtml } from './field-html.ts';
import { riskHtml } from './risk-html.ts';

/** Any beyond are folded. */
const FEW_VIEWERS = 5;

/** What the forms of a question need. */
export interface QuestionForm {
  user: PageUser;
  approval: LinkedPreview;
  /** Digest of the question, so that another one is not decided by this form. */
  shown: string;
  /** Whether calls like it can be allowed in advance. */
  mayBeAllowed: boolean;
  /** Milliseconds since 1970. */
  now: number;
  /** Of the user. */
  formatter: Formatter;
  /** Why the user's last attempt did nothing. */
  problem?: string | undefined;
}

/** One question, with the three answers always in view. */
export function questionPage(form: QuestionForm): Page {
  const { approval, user } = form;
  const { display, approvalId } = approval;
  const body = html`<h1>${inline(display.title)}</h1>
${problemOf(form)}${aboutOf(form)}
<h2>${PAGE.whoSees}</h2>
${viewersOf(approval)}
${fieldsHtml(display.fields)}
${exactDetails(approval)}
${rememberField(form, 'approve')}
<div class="decision">
${riskHtml(approval, form.formatter)}
<form id="deny" method="post" action="/approvals/${approvalId}">
${hiddenFields(form, false)}<button class="button${display.caution && ' primary'}" type="submit">${PAGE.deny}</button>
</form>
<a class="button" href="/approvals/${approvalId}?change=yes">${PAGE.change}</a>
<form id="approve" method="post" action="/approvals/${approvalId}">
${hiddenFields(form, true)}<button class="button${!display.caution && ' primary'}" type="submit">${PAGE.approve}</button>
</form>
</div>`;
  return { title: withoutHidden(display.title), body, user };
}

/** What the user has written so far: in the fields, or as JSON. */
export interface Edited {
  fields: readonly FormField[];
  json?: string | undefined;
  problem?: FieldProblem | undefined;
}

/** The same question with the form of its action. */
export function changePage(form: QuestionForm, { fields, json, problem }: Edited): Page {
  const { approval, user } = form;
  const { display, approvalId } = approval;
  const hasForm = fields.length > 0;
  const body = html`<h1>${inline(changeTitle(display.title))}</h1>
${problemOf(form)}${aboutOf(form)}
${
  hasForm &&
  html`<form id="change" method="post" action="/approvals/${approvalId}" novalidate>
${hiddenFields(form, true)}<input type="hidden" name="changed" value="yes">
${changeFields(fields, problem)}
</form>
`
}${rememberField(form, hasForm ? 'change' : 'json')}
${jsonEditor(form, json, !hasForm || json !== undefined)}
<div class="decision">
<a class="button" href="/approvals/${approvalId}">${PAGE.back}</a>
${hasForm && html`<button class="button primary" type="submit" form="change">${PAGE.approveChanges}</button>`}
</div>`;
  return { title: changeTitle(withoutHidden(display.title)), body, user };
}

function problemOf({ problem }: QuestionForm): SafeHtml | false {
  return problem !== undefined && html`<p class="error" role="alert">${PAGE.notDone} ${inline(problem)}</p>\n`;
}

function aboutOf({ approval, now, formatter }: QuestionForm): SafeHtml {
  const { account, expiresAt } = approval;
  const asked = askedBy(approval, formatter);
  const left = timeLeft(Date.parse(expiresAt) - now);
  return html`<p class="muted">${account !== '' && html`${withAccount} ${inline(account)}. `}<strong>${left}</strong>${QUESTION_PAGE.until}<time datetime="${expiresAt}">${formatter.zonedTime(expiresAt)}</time>.</p>
${asked && html`<p class="muted">${asked}</p>\n`}`;
}

function viewersOf({ display: { viewers, more } }: LinkedPreview): SafeHtml {
  if (viewers.length === 0) return html`<p>${PAGE.onlyYou}</p>`;
  const [first, rest] = [viewers.slice(0, FEW_VIEWERS), viewers.slice(FEW_VIEWERS)];
  const count = rest.length + more;
  return html`${viewers.length > 1 && html`<p>${viewerCount(viewers, more)}</p>\n`}<ul class="audience">${first.map(viewerOf)}</ul>
${count > 0 && html`<details><summary>${andMore(count)}</summary><ul class="audience">${rest.map(viewerOf)}${more > 0 && html`<li>${andMore(more)}</li>`}</ul></details>`}`;
}

function viewerOf({ address, name, relation, tone }: DisplayViewer): SafeHtml {
  const chip = tone === 'new' || tone === 'unknown' ? 'new' : 'relation';
  return html`<li><strong>${inline(address ?? name ?? '')}</strong> <span class="${chip}">${relation}</span></li>\n`;
}

function exactDetails({ action, input }: LinkedPreview): SafeHtml {
  const json = editableJson(input);
  const shown =
    json === undefined
      ? html`<p>${PAGE.tooLong}</p>`
      : html`<pre class="quoted" tabindex="0" role="region" aria-label="${PAGE.json}">${json}</pre>`;
  return html`<details class="exact"><summary>${PAGE.exact}</summary>
<p><code>${action}</code></p>
${shown}
</details>`;
}

function hiddenFields({ user: { session }, shown }: QuestionForm, approved: boolean): SafeHtml {
  return html`<input type="hidden" name="csrf" value="${session?.csrf}">
<input type="hidden" name="shown" value="${shown}">
<input type="hidden" name="approved" value="${String(approved)}">
`;
}

/** @param form id of the form that it belongs to */
function rememberField({ approval, mayBeAllowed }: QuestionForm, form: string): SafeHtml | false {
  const { display, account } = approval;
  if (!mayBeAllowed) return false;
  const [calls, withIt, by, rest] = REMEMBER.hint;
  return html`<div class="field"><label for="remember">${REMEMBER.label}</label>
<select id="remember" name="remember_for" form="${form}" aria-describedby="remember-hint">
<option value="">${REMEMBER.never}</option>
<option value="1">${REMEMBER.days(1)}</option>
<option value="7">${REMEMBER.days(7)}</option>
<option value="30">${REMEMBER.days(30)}</option>
</select>
<p class="muted" id="remember-hint"><small>${calls}${quotation(display.title)}${withIt}${inline(account)}${by}${whose(approval)}${rest}</small></p>
</div>`;
}

/** @param edited as the user wrote it before */
function jsonEditor(form: QuestionForm, edited: string | undefined, isOpen: boolean): SafeHtml {
  const text = edited === undefined ? editableJson(form.approval.input) : editableText(edited);
  const [before, after] = QUESTION_PAGE.hiddenCharacters;
  if (text === undefined) return html`<p class="muted">${QUESTION_PAGE.tooLongToChange}</p>`;
  return html`<details class="editor"${isOpen && html` open`}>
<summary>${PAGE.asJson}</summary>
<form id="json" method="post" action="/approvals/${form.approval.approvalId}">
${hiddenFields(form, true)}<label for="input_json">${PAGE.json}</label>
<textarea id="input_json" name="input_json" rows="14" dir="ltr" spellcheck="false" autocomplete="off" autocapitalize="none" aria-describedby="input_json-hint">
${text}</textarea>
<p class="muted" id="input_json-hint"><small>${before}<code>\\u202e</code>${after}</small></p>
<button class="button" type="submit">${PAGE.approveChanges}</button>
</form>
</details>`;
}
