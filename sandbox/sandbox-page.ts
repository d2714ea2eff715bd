import { z } from 'zod';
import { sandbox as texts } from '../public/language/en/sandbox.js';
import { html, htmlDocument, type SafeHtml } from '../src/http/pages/html.ts';

/** A page of the sandbox: the banner, the title as its heading, and the content. */
export function sandboxPage(title: string, content: SafeHtml, heading = title): string {
  return htmlDocument(
    texts.title(title),
    html`<main>
<p class="banner">${texts.banner}</p>
<h1>${heading}</h1>
${content}
</main>`,
    html`<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg'/%3E">\n<link rel="stylesheet" href="/sandbox/assets/sandbox.css">\n`,
  );
}

/** The page of a request that cannot be completed. */
export function errorPage(title: string, reason: string): string {
  return sandboxPage(
    title,
    html`<p class="error">${reason}</p>
<p>${texts.startAgain}</p>`,
  );
}

/** The error of the previous submission. */
export function alert(problem: string | false | undefined): SafeHtml | false {
  return typeof problem === 'string' && html`<p class="error" role="alert">${problem}</p>`;
}

/** The checked values of a form: a repeated field is sent as a list, and no field when nothing is checked. */
export function checkedValues(most: number) {
  return z
    .union([z.string(), z.array(z.string()).max(most)])
    .default([])
    .transform((value) => [value].flat());
}

export interface Choice {
  type: 'radio' | 'checkbox';
  name: string;
  value: string;
  checked: boolean;
}

/** A radio button or checkbox with its label. @param id unique on the page */
export function choice(id: string, { type, name, value, checked }: Choice, label: SafeHtml | string): SafeHtml {
  return html`<label class="choice" for="${id}">
<input id="${id}" type="${type}" name="${name}" value="${value}"${checked && html` checked`}>
<span>${label}</span>
</label>
`;
}
