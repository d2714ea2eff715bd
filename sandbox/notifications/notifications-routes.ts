import { Router, text } from 'express';
import { z } from 'zod';
import { PAGE_POLICY } from '../../src/http/pages/html.ts';
import { controlRouter } from '../control-routes.ts';
import { notificationsPage } from './notifications-page.ts';
import type { NotificationsSandbox } from './notifications-sandbox.ts';

const MOST_BODY = '256kb';
/** Of a push message, which has 4 kB at most. */
const MOST_CHUNKS = 16;
const subscription = z.strictObject({
  application_server_key: z
    .string()
    .regex(/^[\w-]{87}$/, 'must be a public key in base64url')
    .optional(),
});
const receiver = z.strictObject({ name: z.string().regex(/^[\w-]{1,60}$/), secret: z.string().regex(/^whsec_[\w+/]{16,100}={0,2}$/) });
const oneSubscription = z.strictObject({ id: z.string().max(100) });

/** Where notifications arrive, and the page that shows them, mounted at /sandbox. */
export function notificationsRoutes(sandbox: NotificationsSandbox): Router {
  const { mail, push, webhooks, controls, publicUrl } = sandbox;
  const router = Router();
  router.get('/notifications', (_request, response) => {
    const page = notificationsPage({ mails: mail.mails, pushes: push.messages, webhooks: webhooks.received, publicUrl });
    response.set({ 'Content-Security-Policy': PAGE_POLICY, 'Cache-Control': 'no-store' }).type('html').send(page);
  });
  router.use('/push', controls.intercept('push'));
  router.post('/push/:id', async (request, response) => {
    // A body parser knows no such content encoding.
    const chunks: Buffer[] = [];
    for await (const chunk of request) if (chunks.push(chunk) > MOST_CHUNKS) break;
    const status = await push.receive(request.params.id, request.headers, Buffer.concat(chunks));
    if (status === 201) response.location(request.originalUrl);
    response.status(status).end();
  });
  router.use('/webhooks', controls.intercept('webhooks'), text({ type: () => true, limit: MOST_BODY }));
  router.post('/webhooks/:name', (request, response) => {
    const body = typeof request.body === 'string' ? request.body : '';
    response.status(webhooks.receive(request.params.name, request.headers, body)).end();
  });
  return router;
}

/** Controls of what receives notifications, mounted at /sandbox/control. */
export function notificationsControls({ mail, push, webhooks }: NotificationsSandbox): Router {
  const { router, post } = controlRouter();
  router.get('/notifications', (_request, response) => {
    response.set('Cache-Control', 'no-store').json({ mails: mail.mails, pushes: push.messages, webhooks: webhooks.received });
  });
  post('/notifications/clear', z.unknown(), () => {
    for (const list of [mail.mails, push.messages, webhooks.received]) list.length = 0;
  });
  post('/push-subscription', subscription, ({ application_server_key: key }) => push.subscribe(key));
  post('/push-unsubscribe', oneSubscription, ({ id }) => push.unsubscribe(id));
  post('/webhook-secret', receiver, ({ name, secret }) => webhooks.expect(name, secret));
  return router;
}
