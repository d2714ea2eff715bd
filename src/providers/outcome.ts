const RATE_LIMITED = 429;

/** How a provider's answer counts, by its HTTP status. */
export function outcomeOfStatus(status: number): string {
  if (status < 400) return 'ok';
  if (status === RATE_LIMITED) return 'rate_limited';
  return status < 500 ? 'refused' : 'failed';
}
