import type { Response } from 'express';
import { errors, pages } from '../../../public/language/en/pages.js';
import type { AppError } from '../../errors.ts';
import { html } from './html.ts';
import { type PageUser, sendPage, siteOf } from './own-page.ts';
import { inline } from './visible-text.ts';

/** Of a sign-in, `response.locals.signIn`: what its error page says in case that it fails. */
export interface FailingSignIn {
  /** Whom the issuer has signed in; undefined: it is not known. */
  as?: string | undefined;
  /** Path of another sign-in. */
  again: string;
}

/** Answers a browser with a page that says what went wrong. */
export function sendErrorPage(response: Response, { code, message, status }: AppError): void {
  const heading = errors.headings[code] ?? errors.otherHeading;
  const caller = response.locals.caller as PageUser | undefined;
  // Not the name of a client.
  const user = caller?.session === undefined ? undefined : caller;
  const signIn = response.locals.signIn as FailingSignIn | undefined;
  const body = html`<h1>${heading}</h1>
<p class="error">${errors.sentences[code] ?? message}</p>
${
  signIn?.as !== undefined &&
  html`<p>${pages.youSignedInAs}${inline(signIn.as)}.</p>
`
}<p>${signIn !== undefined && html`<a class="button primary" href="${signIn.again}">${pages.signInAgain}</a> `}<a class="button" href="${siteOf(response).home}">${pages.goHome}</a></p>${code !== 'not_found' && html`\n<p class="muted">${errors.code}<code>${code}</code>${errors.request}<code>${response.req.id}</code></p>`}`;
  sendPage(response, { title: heading, body, user }, status);
}
