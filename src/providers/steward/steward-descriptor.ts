import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { describeProvider } from '../shared/provider.ts';
import type { AutomationProposals, StewardSession } from './automation-proposals.ts';

/** The features of the service that actions use. */
export class StewardClient {
  #proposals: (() => Promise<AutomationProposals>) | undefined;

  /** Says what proposes automations, which is loaded with the first proposal. */
  proposeIn(load: () => Promise<AutomationProposals>): void {
    this.#proposals = load;
  }

  session(userId: string): StewardSession {
    const proposals = () => this.#proposals?.() ?? Promise.reject(new AppError('not_configured', 'This server makes no automations.'));
    let mayHaveChanged = false;
    return {
      get mayHaveChanged() {
        return mayHaveChanged;
      },
      checkAutomation: async (definition) => (await proposals()).check(userId, definition),
      async createAutomation(automation) {
        const made = await proposals();
        mayHaveChanged = true;
        try {
          return await made.create(userId, automation);
        } catch (error) {
          // Only of a lost commit it isn't known whether it was made.
          if (error instanceof AppError && error.code !== 'unavailable') mayHaveChanged = false;
          throw error;
        }
      },
    };
  }
}

/** This service itself: its actions work for the user, and with none of their accounts. */
export const stewardDescriptor = describeProvider({
  name: 'steward',
  hasAccounts: false,
  settings: () => ({}),
  open: async () => new StewardClient(),
  session: (client, { userId }) => client.session(userId),
  // There is no token.
  revoke: async () => {},
  needs: { key: 'scopes', names: [], schema: z.never(), isGranted: () => true, missing: () => [] },
});
