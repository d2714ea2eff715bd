/** Every connected account. @param value of the session's store; undefined: it isn't known yet */
export function allAccounts(value) {
  return value === undefined ? [] : [...value.workspace, ...value.bank, ...value.sources];
}

/** How an account is called: its address, its bank, or what the connection is called. */
export const labelOf = ({ email, bank_name: bank, label }) => email ?? bank ?? label;

/** Whether the user has to do something about an account. */
export function needsAttention({ source, status, tools, missing_scopes: missing = [] }) {
  if (status !== 'active') return true;
  return source !== undefined && (tools.held > 0 || missing.length > 0);
}

/** The accounts with which an agent works; undefined: it isn't known yet. @param value see {@link allAccounts} */
export function accountsOf({ provider, accounts }, value) {
  // Each source has accounts of its own.
  const ofSource = () => value.sources.filter(({ id }) => accounts.some((one) => one.id === id));
  return provider === 'mcp' && value !== undefined ? ofSource() : value?.[provider];
}
