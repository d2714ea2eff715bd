import type { Page } from 'playwright-core';

/** Paths of the page’s own data: what it is built of, and who is signed in, is answered at once. */
const DATA =
  /^\/(?:threads|models|integrations|approvals|allowances|clients|tokens|read-only|chat|agents|auth\/workspace|auth\/bank|user)(?:\/|$)/;

/** A slow line: the page’s data is held back until the test releases it. */
export class HeldResponses {
  #gate = Promise.withResolvers<void>();

  /** Holds what the page asks for from now on, over HTTP and over its socket. */
  static async of(page: Page): Promise<HeldResponses> {
    const held = new HeldResponses();
    await page.route(
      ({ pathname }) => DATA.test(pathname),
      async (route) => {
        await held.#gate.promise;
        // The page may have left meanwhile.
        await route.continue().catch(() => undefined);
      },
    );
    await page.routeWebSocket('**/ws', (socket) => {
      const server = socket.connectToServer();
      server.onMessage(async (message) => {
        await held.#gate.promise;
        socket.send(message);
      });
    });
    return held;
  }

  release(): void {
    this.#gate.resolve();
  }
}
