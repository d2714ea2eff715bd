/** Texts of what is allowed in advance. */
export const allowances = {
  title: 'Allowed in advance',
  about: 'Calls that run without a question until their time is up, because you allowed them when you approved one like them.',
  none: 'Nothing is allowed in advance.',
  revoke: 'Revoke',
  question: 'Revoke this?',
  means: (what) => `${what}: you are asked again about each call.`,
  revoked: 'Revoked. You are asked again about each such call.',
  /** “Send a mail: ana@example.org” */
  to: (action, people) => `${action}: ${people}`,
  into: (action, folder) => `${action}: into “${folder}”`,
  seenBy: (people) => `Seen by ${people}`,
  scope: (who, account, until) => `For ${who}, with ${account}, until ${until}`,
  anAccount: 'an account',
  details: (given) => `With these details only: ${given.join(', ')}`,
  detail: (name, values) => (values.length === 0 ? name : `${name} = ${values.join(' or ')}`),
  value: (value) => (value === true ? 'yes' : value === false ? 'no' : String(value)),
  app: (name) => `the app that calls itself “${name}”`,
  token: (name) => `your token “${name}”`,
  assistant: 'your assistant',
  you: 'you',
};
