import { english } from '../../public/language/english.js';
import type { ErrorCode } from '../errors.ts';
import { noticesOnMatches } from '../executor/approvals/approval-prompt.ts';
import type { LinkedPreview } from '../executor/executor.ts';
import type { ShownViewer } from '../executor/policy/shown-viewer.ts';
import { html, type SafeHtml } from '../http/pages/html.ts';
import type { Page, PageUser } from '../http/pages/own-page.ts';
import { inline, quotation } from '../http/pages/visible-text.ts';
import { shortened } from '../validation/cut-text.ts';
import { ArgumentsView, block, editableJson, editableText } from './untrusted-text.ts';

const RELATIONS = {
  own: 'your own account',
  written_to: 'you have written to this address before',
  new: 'you have not written to this address before',
};
/** Those that deserve attention first, so that they are not among the uncounted ones. */
const ORDER = ['anyone', 'unknown', 'domain', 'group', 'new', undefined, 'written_to', 'own'];
/** Characters that come before those who see it; a longer summary is there in full after them. */
const MAX_SUMMARY = 400;
const MAX_VIEWERS = 200;
const MAX_SOURCES = 50;

/** An attempt to decide that left the question open. */
export interface Attempt {
  /** Why nothing was done. */
  problem: string;
  /** The arguments as the user wrote them. */
  edited?: string | undefined;
}

/** The pending approvals of a user. */
export function approvalsPage(user: PageUser, approvals: readonly LinkedPreview[]): Page {
  const entries = approvals.map((approval) => {
    const { approvalId, summary, audience, action, account, expiresAt } = approval;
    const asked = askedBy(approval);
    return html`<li>
<a href="/approvals/${approvalId}" class="cut">${inline(summary)}</a>
<p class="muted">Who sees it: ${audience.length === 0 ? 'only you.' : countOf(audience)}</p>
<p class="muted"><code>${action}</code> with ${inline(account)}, until ${timeOf(expiresAt)}</p>${asked && html`\n<p class="muted">${asked}</p>`}
</li>
`;
  });
  const list = entries.length === 0 ? html`<p>Nothing waits for your decision.</p>` : html`<ul class="approvals">${entries}</ul>`;
  return { title: 'Approvals', body: html`<h1>Approvals</h1>\n${list}`, user };
}

/** What the forms of a question need. */
export interface QuestionForm {
  user: PageUser;
  approval: LinkedPreview;
  /** Digest of the question, so that another one is not decided by this form. */
  shown: string;
  /** Whether calls like it can be allowed in advance. */
  mayBeAllowed: boolean;
}

/**
 * One approval: who sees it first, then everything else that decides.
 *
 * @param attempt the user's last, if this page is the answer to it
 */
export function approvalPage(form: QuestionForm, attempt?: Attempt): Page {
  const { user, approval } = form;
  const { summary, action, account, input, matches, expiresAt } = approval;
  const asked = askedBy(approval);
  // The page has a section for them.
  const repeated = noticesOnMatches(matches);
  const notices = approval.notices.filter((notice) => !repeated.includes(notice));
  return {
    title: 'Approve or deny',
    user,
    body: html`<h1>Approve this?</h1>
${attempt && html`<p class="error" role="alert">Nothing was done. ${inline(attempt.problem)}</p>\n`}<p class="summary">${inline(shortened(summary, MAX_SUMMARY))}</p>
${asked && html`<p>${asked}</p>\n`}<h2>Who sees it</h2>
${audienceOf(approval.audience)}
${notices.map((notice) => html`<p class="warning">${inline(notice)}</p>\n`)}
${matchesOf(matches)}
${
  summary.length > MAX_SUMMARY &&
  html`<h2>What it does, in full</h2>
${block(summary)}
`
}<h2>The call in full</h2>
<p class="muted">The assistant chose what is quoted here, not Steward.</p>
${new ArgumentsView(matches).render(input)}
${provenanceOf(approval.provenance)}
<p class="muted">Action <code>${action}</code> with the account ${inline(account)}. Waits for you until ${timeOf(expiresAt)}.</p>
<div class="choices">
${decisionForm(form, true, attempt?.edited === undefined ? 'Approve' : 'Approve as shown above', rememberField(form, 'remember'))}
${decisionForm(form, false, 'Deny')}
</div>
${editor(form, attempt?.edited)}`,
  };
}

/** How a decision ended. */
export interface End {
  heading: string;
  text: string;
  /** Of the error; undefined: there is none. */
  code?: ErrorCode;
  /** Id of the approval, if it still waits. */
  pending?: string | undefined;
}

/** The end of a decision. */
export function endPage(user: PageUser, { heading, text, code, pending }: End): Page {
  return {
    title: heading,
    user,
    body: html`<h1>${heading}</h1>
<p class="${code === undefined ? 'outcome' : 'error'}" role="status">${inline(text)}</p>
${code !== undefined && html`<p class="muted">Code <code>${code}</code></p>`}
${pending !== undefined && html`<p>It still waits for your decision. <a href="/approvals/${pending}">Back to the question</a></p>`}
<p><a href="/approvals">All approvals</a></p>`,
  };
}

/** One form for each decision, so that the decision is a field and not the value of a button. */
function decisionForm(
  { user, approval, shown }: QuestionForm,
  approved: boolean,
  label: string,
  fields: SafeHtml | false = false,
): SafeHtml {
  return html`<form method="post" action="/approvals/${approval.approvalId}">
${hiddenFields(user, shown, approved)}${fields}
<button class="${approved ? 'button primary' : 'button'}" type="submit">${label}</button>
</form>`;
}

function hiddenFields({ session }: PageUser, shown: string, approved: boolean): SafeHtml {
  return html`<input type="hidden" name="csrf" value="${session?.csrf}">
<input type="hidden" name="shown" value="${shown}">
<input type="hidden" name="approved" value="${String(approved)}">
`;
}

function rememberField({ approval, mayBeAllowed }: QuestionForm, id: string): SafeHtml | false {
  const { action, account } = approval;
  if (!mayBeAllowed) return false;
  return html`<label for="${id}">Allow calls like this without asking</label>
<select id="${id}" name="remember_for" aria-describedby="${id}-hint">
<option value="">No, ask each time</option>
<option value="1">For 1 day</option>
<option value="7">For 7 days</option>
<option value="30">For 30 days</option>
</select>
<p class="muted" id="${id}-hint"><small>Calls of <code>${action}</code> with ${inline(account)} by ${whose(approval)} would then run without a question, whatever they say, if only people listed above see them and they give the same arguments as this one: the same yes or no, numbers and choices, and no files or lists where this one has none. Where a call puts a file into a folder: into the same folder only.</small></p>
`;
}

/** @param edited as the user wrote them before */
function editor(form: QuestionForm, edited: string | undefined): SafeHtml {
  const { user, approval, shown } = form;
  const text = edited === undefined ? editableJson(approval.input) : editableText(edited);
  if (text === undefined) return html`<p class="muted">The arguments are too long to be changed on this page.</p>`;
  return html`<details class="editor"${edited !== undefined && html` open`}>
<summary>Change the arguments</summary>
<form method="post" action="/approvals/${approval.approvalId}">
${hiddenFields(user, shown, true)}<label for="input_json">Arguments as JSON</label>
<textarea id="input_json" name="input_json" rows="14" dir="ltr" spellcheck="false" autocomplete="off" autocapitalize="none" aria-describedby="input_json-hint">
${text}</textarea>
<p class="muted" id="input_json-hint"><small>Hidden characters are written as <code>\\u202e</code>. If others would see the changed call, you are asked again before it runs.</small></p>
${rememberField(form, 'remember-edited')}<button class="button primary" type="submit">Approve with these arguments</button>
</form>
</details>`;
}

/** Whose calls an allowance would be for. */
function whose({ client, thread }: Pick<LinkedPreview, 'client' | 'thread'>): SafeHtml {
  if (client !== undefined) return quotation(client.name);
  return thread === undefined ? html`your own front ends` : html`your assistant, in any conversation,`;
}

/** Who asked, unless it was the user's own front end. A client's name may be what it calls itself. */
function askedBy({ client, thread }: Pick<LinkedPreview, 'client' | 'thread'>): SafeHtml | undefined {
  if (client !== undefined) {
    const { name, kind, about } = client;
    const who = kind === 'oauth' ? 'an app that calls itself' : 'your token';
    return html`Asked by ${who} ${quotation(name)}.${about !== null && html` ${about}`}`;
  }
  return thread === undefined ? undefined : html`Asked by your assistant in a conversation.`;
}

function audienceOf(audience: readonly ShownViewer[]): SafeHtml {
  if (audience.length === 0) return html`<p>Only you.</p>`;
  const place = ({ kind, ...rest }: ShownViewer) => ORDER.indexOf(kind === 'person' ? rest.relation : kind);
  const entries = audience
    .toSorted((one, other) => place(one) - place(other))
    .slice(0, MAX_VIEWERS)
    .map((viewer) => html`<li>${viewerOf(viewer)}</li>\n`);
  const more = audience.length - entries.length;
  return html`${audience.length > 1 && html`<p>${countOf(audience)}</p>\n`}<ul class="audience">${entries}${more > 0 && html`<li>and ${more} more</li>`}</ul>`;
}

/** One sentence on a list that is long. */
function countOf(audience: readonly ShownViewer[]): string {
  const people = audience.filter(({ kind }) => kind === 'person');
  const others = audience.length - people.length;
  const named = [
    ...(people.length > 0 ? [people.length === 1 ? '1 person' : `${people.length} people`] : []),
    ...(others > 0 ? [others === 1 ? '1 other entry' : `${others} other entries`] : []),
  ].join(' and ');
  const strangers = people.filter(({ relation }) => relation === 'new').length;
  // Not looked up, or not found out: they may be strangers, too.
  const unknown = people.filter(({ relation }) => relation === undefined).length;
  const more = [...(strangers > 0 ? [`${strangers} new to you`] : []), ...(unknown > 0 ? [`${unknown} of them unknown to Steward`] : [])];
  return `${[named, ...more].join(', ')}.`;
}

function viewerOf(viewer: ShownViewer): SafeHtml {
  if (viewer.kind === 'anyone') return html`<strong>Anyone with the link</strong>`;
  if (viewer.kind === 'unknown') return html`<strong>Possibly others</strong>: it could not be read who`;
  if (viewer.kind === 'domain') return html`Everyone at <strong>${inline(viewer.domain)}</strong>`;
  if (viewer.kind === 'group') return html`The group <strong>${inline(viewer.address)}</strong>`;
  const { relation, named } = viewer;
  const known = relation === undefined ? 'it could not be read whether you know this address' : RELATIONS[relation];
  const badge = relation === undefined ? 'Unknown' : relation === 'new' && 'New';
  return html`${badge && html`<span class="new">${badge}</span> `}<strong>${inline(viewer.address)}</strong>: <span class="relation">${known}${named && html`; you named it in the conversation`}</span>`;
}

function matchesOf(matches: LinkedPreview['matches']): SafeHtml | false {
  if (matches.length === 0) return false;
  const entries = matches.map(
    ({ field, text, ...source }) => html`<li>
<p>In ${quotation(field)}, as read with ${sourceOf(source)}:</p>
${block(text)}
</li>
`,
  );
  return html`<h2>Repeats what others wrote</h2>
<p class="muted">These parts of the call are in texts that the assistant read before. They are marked below.</p>
<ul class="matches">${entries}</ul>`;
}

function provenanceOf(sources: LinkedPreview['provenance']): SafeHtml | false {
  if (sources.length === 0) return false;
  const entries = sources.slice(0, MAX_SOURCES).map((source) => html`<li>${sourceOf(source)}</li>\n`);
  return html`<h2>What was read before</h2>
<p class="muted">Others wrote it. It may have caused this request.</p>
<ul>${entries}</ul>`;
}

function sourceOf({ action, author, name, time }: LinkedPreview['provenance'][number]): SafeHtml {
  return html`<code>${action}</code>${author !== undefined && html`, written by ${quotation(author)}`}${name !== undefined && html`, named ${quotation(name)}`}${time !== undefined && html`, of ${timeOf(time)}`}`;
}

/** To the minute, with its zone; as it is if it comes from elsewhere and is written otherwise. */
function timeOf(iso: string): SafeHtml {
  const written = english.zonedTime(iso);
  return written === iso ? inline(iso) : html`<time datetime="${iso}">${written}</time>`;
}
