// @ts-check

/** The page of the API reference, for developers. */
export const reference = {
  /** @param {string} version */
  version: (version) => `Version ${version}. The same description for programs: `,
  token: 'ID token for requests from this page',
  tokenHint: 'It stays in this page and is sent in the Authorization header.',
  parameters: 'Parameters',
  body: 'Body',
  responses: 'Responses',
  required: 'required',
  try: 'Try it',
  json: 'Body as JSON',
  send: 'Send',
  response: 'Response',
  redirected: 'A redirect, which this page does not follow.',
  failed: 'The service did not answer.',
  unloaded: 'The description could not be loaded. Load the page again.',
};
