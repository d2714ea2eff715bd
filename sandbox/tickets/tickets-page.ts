import { ticketsConsent as texts } from '../../public/language/en/sandbox.js';
import { html } from '../../src/http/pages/html.ts';
import { choice, sandboxPage } from '../sandbox-page.ts';
import { type AuthorizationRequest, WRITE_SCOPE } from './authorization-desk.ts';
import type { TicketUser } from './tickets-state.ts';

/** The tracker's sign-in and question in one: who, what, Allow and Deny. Plain forms, no script. */
export function ticketsPage(request: AuthorizationRequest, clientName: string, people: readonly TicketUser[]): string {
  const { scopes, ...rest } = request;
  const fields = { ...rest, scope: scopes.join(' '), response_type: 'code', code_challenge_method: 'S256' };
  const hidden = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}">\n`],
  );
  const users = people.map(({ id, name, email }, index) =>
    choice(
      `user-${index}`,
      { type: 'radio', name: 'user', value: id, checked: index === 0 },
      html`${name} <span class="muted">${email}</span>`,
    ),
  );
  const write = { type: 'checkbox', name: 'write', value: 'yes', checked: true } as const;
  return sandboxPage(
    texts.title,
    html`<p><strong>${clientName}</strong>${texts.asks}</p>
<form class="consent" method="post" action="/sandbox/tickets/authorize">
${hidden}
<fieldset>
<legend>${texts.who}</legend>
${users}
</fieldset>
<fieldset>
<legend>${texts.may}</legend>
<p>${texts.read}</p>
${scopes.includes(WRITE_SCOPE) && choice('write', write, texts.write)}
</fieldset>
<div class="actions">
<button class="button primary" type="submit" name="decision" value="allow">${texts.allow}</button>
<button class="button" type="submit" name="decision" value="deny">${texts.deny}</button>
</div>
</form>`,
  );
}
