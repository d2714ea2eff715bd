import { Router } from 'express';
import type { Controls } from '../controls.ts';
import { type ApiRoutesOptions, bankApiRoutes } from './bank-api-routes.ts';
import { bankLinkRoutes, type LinkRoutesOptions } from './bank-link-routes.ts';

export interface BankSandboxRoutesOptions extends ApiRoutesOptions, LinkRoutesOptions {
  controls: Controls;
}

/** The aggregator's emulator, mounted at /sandbox/bank. Requested errors come first. */
export function bankSandboxRoutes(options: BankSandboxRoutesOptions): Router {
  const router = Router();
  router.use(options.controls.intercept('bank'));
  router.use(bankLinkRoutes(options));
  router.use(bankApiRoutes(options));
  return router;
}
