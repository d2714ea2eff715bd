import type { ErrorCode } from '../errors.ts';
import type { LinkedPreview } from '../executor/executor.ts';
import type { ShownViewer } from '../executor/shown-viewer.ts';
import type { FirstParty } from '../http/endpoint.ts';
import { html, page, type SafeHtml } from '../http/html.ts';
import { ArgumentsView, inline } from './untrusted-text.ts';

/** Who looks at a page. */
export type PageUser = Pick<FirstParty, 'label' | 'session'>;

const RELATIONS = {
  own: 'your own account',
  written_to: 'you have written to this address before',
  new: 'new: you have not written to this address before',
};
const MAX_VIEWERS = 200;
const MAX_SOURCES = 50;

/** The pending approvals of a user. */
export function approvalsPage(user: PageUser, approvals: readonly LinkedPreview[]): string {
  const entries = approvals.map(
    ({ approvalId, summary, action, account, expiresAt }) => html`<li>
<a href="/approvals/${approvalId}">${inline(summary)}</a>
<p class="muted"><code>${action}</code> with ${inline(account)}, until ${timeOf(expiresAt)}</p>
</li>
`,
  );
  const list = entries.length === 0 ? html`<p>Nothing waits for your decision.</p>` : html`<ul class="approvals">${entries}</ul>`;
  return page('Approvals', html`<h1>Approvals</h1>\n${list}\n${footer(user)}`);
}

/**
 * One approval: who sees it first, then everything else that decides.
 *
 * @param shown digest of the question, so that another one is not decided by this form
 */
export function approvalPage(user: PageUser, approval: LinkedPreview, shown: string): string {
  const { approvalId, summary, notices, action, account, input, expiresAt } = approval;
  return page(
    'Approve or deny',
    html`<h1>Approve this?</h1>
<p class="summary">${inline(summary)}</p>
${notices.map((notice) => html`<p class="warning">${inline(notice)}</p>\n`)}
<h2>Who sees it</h2>
${audienceOf(approval.audience)}
<h2>The call in full</h2>
<p class="muted">The assistant chose what is quoted here, not Steward.</p>
${new ArgumentsView().render(input)}
${provenanceOf(approval.provenance)}
<p class="muted">Action <code>${action}</code> with the account ${inline(account)}. Waits for you until ${timeOf(expiresAt)}.</p>
<div class="choices">
${decisionForm(user, approvalId, shown, true)}
${decisionForm(user, approvalId, shown, false)}
</div>
${footer(user)}`,
  );
}

/** The end of a decision. @param end its heading @param code of the error; undefined: there is none */
export function endPage(user: PageUser, end: string, text: string, code?: ErrorCode): string {
  return page(
    end,
    html`<h1>${end}</h1>
<p class="${code === undefined ? 'outcome' : 'error'}" role="status">${text}</p>
${code !== undefined && html`<p class="muted">Code <code>${code}</code></p>`}
<p><a href="/approvals">All approvals</a></p>
${footer(user)}`,
  );
}

/** One form for each decision, so that the decision is a field and not the value of a button. */
function decisionForm({ session }: PageUser, id: string, shown: string, approved: boolean): SafeHtml {
  return html`<form method="post" action="/approvals/${id}">
<input type="hidden" name="csrf" value="${session?.csrf}">
<input type="hidden" name="shown" value="${shown}">
<input type="hidden" name="approved" value="${String(approved)}">
<button class="${approved ? 'button primary' : 'button'}" type="submit">${approved ? 'Approve' : 'Deny'}</button>
</form>`;
}

function audienceOf(audience: readonly ShownViewer[]): SafeHtml {
  if (audience.length === 0) return html`<p>Only you.</p>`;
  const entries = audience.slice(0, MAX_VIEWERS).map((viewer) => html`<li>${viewerOf(viewer)}</li>\n`);
  const more = audience.length - entries.length;
  return html`<ul class="audience">${entries}${more > 0 && html`<li>and ${more} more</li>`}</ul>`;
}

function viewerOf(viewer: ShownViewer): SafeHtml {
  if (viewer.kind === 'anyone') return html`<strong>Anyone with the link</strong>`;
  if (viewer.kind === 'unknown') return html`<strong>Possibly others</strong>: it could not be read who`;
  if (viewer.kind === 'domain') return html`Everyone at <strong>${inline(viewer.domain)}</strong>`;
  if (viewer.kind === 'group') return html`The group <strong>${inline(viewer.address)}</strong>`;
  const relation = viewer.relation === undefined ? 'it could not be read whether you know this address' : RELATIONS[viewer.relation];
  return html`<strong>${inline(viewer.address)}</strong> <span class="relation ${viewer.relation ?? ''}">${relation}</span>`;
}

function provenanceOf(sources: LinkedPreview['provenance']): SafeHtml | false {
  if (sources.length === 0) return false;
  const entries = sources.slice(0, MAX_SOURCES).map(
    ({ action, author, name, time }) => html`<li>
<code>${action}</code>${author !== undefined && html`, written by <q>${inline(author)}</q>`}${name !== undefined && html`, named <q>${inline(name)}</q>`}${time !== undefined && html`, of ${inline(time)}`}
</li>
`,
  );
  return html`<h2>What was read before</h2>
<p class="muted">Others wrote it, and it may have asked for this.</p>
<ul>${entries}</ul>`;
}

function footer({ label, session }: PageUser): SafeHtml {
  const form =
    session !== undefined &&
    html`<form method="post" action="/sign-out">
<input type="hidden" name="csrf" value="${session.csrf}">
<button class="button" type="submit">Sign out</button>
</form>`;
  return html`<footer class="signed-in">
<p class="muted">Signed in as ${inline(label)}.</p>
${form}
</footer>`;
}

/** To the minute, with its zone. */
function timeOf(iso: string): SafeHtml {
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
