/** `unsure`: an operation on it got no response, so both the previous and the requested state are right. */
export type Standing = 'connected' | 'gone' | 'unsure';

export interface AccountClaim {
  standing: Standing;
  id?: string;
  /** If it was removed: consents before this one belong to a connection that has ended. */
  endedBefore?: number;
}

/** A draft, or a mail. */
export interface MailClaim {
  /** A response confirmed that it exists. */
  answered: boolean;
  /** Repeats the same request, which must not create a second one. @returns false if there was no response */
  repeat(base: string): Promise<boolean>;
}

/** Statements of the service's responses to a user, which must stay true. */
export class Claims {
  readonly accounts = new Map<string, AccountClaim>();
  /** Bank entries, by institution. */
  readonly banks = new Map<string, AccountClaim>();
  /** Id of the default account; undefined = unknown, or unsure. */
  defaultId: string | undefined;
  readonly waitlist = new Set<string>();
  /** By their subject lines. */
  readonly mails = new Map<string, MailClaim>();
  /** Events that the aggregator sent, by institution, and whether they were acknowledged. */
  readonly webhooks = new Map<string, boolean>();
  /** Calls with a response, by action. */
  readonly calls = new Map<string, number>();
  /** Whether the user was deleted. */
  deleted: 'no' | 'yes' | 'unsure' = 'no';

  count(action: string): void {
    this.calls.set(action, (this.calls.get(action) ?? 0) + 1);
  }

  /** Accounts or banks with this state. */
  static of(claims: Map<string, AccountClaim>, standing: Standing): string[] {
    return [...claims].filter(([, claim]) => claim.standing === standing).map(([name]) => name);
  }
}
