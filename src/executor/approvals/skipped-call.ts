import { AppError } from '../../errors.ts';
import type { Catalog } from '../../integrations/catalog.ts';
import type { Call, Invocation } from '../call/call.ts';
import type { ThreadGrant } from '../call/thread-grants-repository.ts';

/** By which programs know that nobody was asked. */
const SKIPPED = { details: { reason: 'skipped' } };
/** What a model is told of a call that is left out. */
export const LEFT_OUT = 'The user would be asked about this call, and this automation leaves out such calls. Nothing was done.';
/** What a model is told of a draft that was saved in place of a mail. */
export const DRAFTED = 'The mail was not sent: the user would be asked first. It was saved as a draft, which this is about.';

/** A call that a run leaves out, because the user would be asked about it. */
export class SkippedCall extends AppError {
  readonly call: Call;

  constructor(call: Call) {
    super('forbidden', LEFT_OUT, SKIPPED);
    this.call = call;
  }
}

/** What is done in place of a skipped call. */
interface Draft {
  call: Pick<Invocation, 'action' | 'account' | 'input'>;
  /** Who may have a mail sent may have it saved; nobody is asked about that either. */
  grant: ThreadGrant;
}

/** The draft of a mail that is not sent; undefined: the call is another one, or no drafts are wanted or configured. */
export function draftInPlaceOf({ configured, threadGrant, account, rawInput: input }: Call, { actions }: Catalog): Draft | undefined {
  if (threadGrant?.whenAsked !== 'draft' || configured.action.name !== 'mail.send') return undefined;
  const draft = [...actions.values()].find(({ action, policy }) => action.name === 'mail.draft' && policy.enabled);
  if (draft === undefined) return undefined;
  return {
    call: { action: draft.name, account: account.id, input },
    grant: { ...threadGrant, actions: [draft.name], whenAsked: 'skip' },
  };
}
