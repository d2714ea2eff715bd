import { actionName } from '../../public/language/en/actions.js';
import { detailName, PAGE } from '../../public/language/en/approvals.js';
import type { Formatter } from '../../public/language/formatter.js';
import type { LinkedPreview } from '../executor/executor.ts';
import { html, type SafeHtml } from '../http/pages/html.ts';
import { inline, quotation } from '../http/pages/visible-text.ts';
import { block } from './field-html.ts';

/** One line on what deserves attention, which opens the evidence. */
export function riskHtml({ display, summary }: LinkedPreview, formatter: Formatter): SafeHtml | false {
  const { risk, evidence } = display;
  if (risk === null) return false;
  return html`<details class="risk ${risk.level}">
<summary>${inline(risk.text)}</summary>
${evidence.notices.filter((notice) => notice !== risk.text).map((notice) => html`<p>${inline(notice)}</p>\n`)}
${matchesOf(display, formatter)}
${provenanceOf(evidence.provenance, formatter)}
<p>${PAGE.oneSentence}:</p>
${block({ text: summary }, PAGE.oneSentence)}
</details>`;
}

function matchesOf({ evidence: { matches }, fields }: LinkedPreview['display'], formatter: Formatter): SafeHtml | false {
  if (matches.length === 0) return false;
  const labels = new Map(fields.map(({ name, label }) => [name.split('.', 1)[0], label]));
  const entries = matches.map(
    ({ field, text, ...source }, index) => html`<li>
<p>${inline(labels.get(field.split('.', 1)[0]) ?? detailName(field.split('.', 1)[0]))}${PAGE.from}${sourceOf(source, formatter)}:</p>
${block({ text }, `${PAGE.repeats} ${index + 1}`)}
</li>
`,
  );
  return html`<h2>${PAGE.repeats}</h2>
<ul class="matches">${entries}</ul>`;
}

function provenanceOf(sources: LinkedPreview['provenance'], formatter: Formatter): SafeHtml | false {
  if (sources.length === 0) return false;
  return html`<h2>${PAGE.read}</h2>
<ul>${sources.map((source) => html`<li>${sourceOf(source, formatter)}</li>\n`)}</ul>`;
}

function sourceOf({ action, author, name, time }: LinkedPreview['provenance'][number], formatter: Formatter): SafeHtml {
  return html`“${actionName(action)}”${author !== undefined && html`${PAGE.writtenBy}${quotation(author)}`}${name !== undefined && html`${PAGE.named}${quotation(name)}`}${time !== undefined && html`${PAGE.ofTime}${inline(formatter.zonedTime(time))}`}`;
}
