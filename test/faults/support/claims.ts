/** `unsure`: an operation on it was not answered, so both what was and what was asked for are right. */
export type Standing = 'connected' | 'gone' | 'unsure';

export interface AccountClaim {
  standing: Standing;
  id?: string;
  /** Where it is gone: consents before this one belong to a connection that has ended. */
  endedBefore?: number;
}

/** A draft, or a mail. */
export interface MailClaim {
  /** It was answered that it exists. */
  answered: boolean;
  /** Asks for the very same again, which must not make a second one. @returns false when no answer came */
  repeat(base: string): Promise<boolean>;
}

/** What the service has told a user: all of it has to be true for ever after. */
export class Claims {
  readonly accounts = new Map<string, AccountClaim>();
  /** Bank entries, by institution. */
  readonly banks = new Map<string, AccountClaim>();
  /** Id of the default account; undefined = not told, or unsure. */
  defaultId: string | undefined;
  readonly waitlist = new Set<string>();
  /** By their subject lines. */
  readonly mails = new Map<string, MailClaim>();
  /** Events that the aggregator sent, by institution, and whether they were acknowledged. */
  readonly webhooks = new Map<string, boolean>();
  /** Calls answered, by action. */
  readonly calls = new Map<string, number>();
  /** Whether the user was deleted. */
  deleted: 'no' | 'yes' | 'unsure' = 'no';

  count(action: string): void {
    this.calls.set(action, (this.calls.get(action) ?? 0) + 1);
  }

  /** Accounts or banks in a standing. */
  static of(claims: Map<string, AccountClaim>, standing: Standing): string[] {
    return [...claims].filter(([, claim]) => claim.standing === standing).map(([name]) => name);
  }
}
