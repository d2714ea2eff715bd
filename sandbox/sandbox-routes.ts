import { join } from 'node:path';
import express, { Router } from 'express';
import type { BankSandbox } from './bank/bank-sandbox.ts';
import { controlRoutes } from './control-routes.ts';
import type { Controls } from './controls.ts';
import { type GuardOptions, sandboxGuard } from './guard.ts';
import { happeningControls, happeningRoutes } from './happenings/happening-routes.ts';
import type { IdentityIssuer } from './identity/identity-issuer.ts';
import { identityIssuerRoutes } from './identity/identity-issuer-routes.ts';
import type { ModelSandbox } from './model/model-sandbox.ts';
import { notificationsControls, notificationsRoutes } from './notifications/notifications-routes.ts';
import type { NotificationsSandbox } from './notifications/notifications-sandbox.ts';
import type { TicketsSandbox } from './tickets/tickets-sandbox.ts';
import type { WorkspaceProvider } from './workspace/workspace-provider.ts';
import { workspaceProviderRoutes } from './workspace-provider-routes.ts';

export interface SandboxDeps extends GuardOptions {
  identity: IdentityIssuer;
  workspace: WorkspaceProvider;
  bank: BankSandbox;
  model: ModelSandbox;
  tickets: TicketsSandbox;
  notifications: NotificationsSandbox;
  controls: Controls;
}

/** All routes below /sandbox, behind the guard. Each part parses its own bodies. */
export function sandboxRoutes({ identity, workspace, bank, model, tickets, notifications, controls, ...guard }: SandboxDeps): Router {
  const router = Router();
  router.use(sandboxGuard(guard));
  router.use('/assets', express.static(join(import.meta.dirname, 'public'), { index: false, redirect: false }));
  router.use('/identity', identityIssuerRoutes(identity, controls));
  router.use('/workspace', workspaceProviderRoutes(workspace));
  router.use('/bank', bank.router);
  router.use('/model', model.router);
  router.use('/tickets', tickets.router);
  router.use('/control/tickets', tickets.controlRouter);
  router.use('/control/bank', bank.controlRouter);
  router.use(notificationsRoutes(notifications));
  router.use('/events', happeningRoutes({ workspace, bank, controls }));
  router.use('/control', happeningControls({ workspace, bank, controls }));
  router.use('/control', notificationsControls(notifications));
  router.use('/control', controlRoutes(controls, workspace));
  return router;
}
