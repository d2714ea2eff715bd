// @ts-check

/** @param {number} count @param {string} text the number as it is written */
const accounts = (count, text) => `${text} ${count === 1 ? 'account' : 'accounts'}`;

export const operator = {
  title: 'Operator',
  about: 'How this service is doing, for its operators. Nothing can be changed here.',
  integrations: 'Integrations',
  provider: (/** @type {string} */ name) => ({ workspace: 'Workspace', bank: 'Bank' })[name] ?? name,
  notConfigured: 'Not configured',
  accounts,
  attention: (/** @type {number} */ count, /** @type {string} */ text) => `${text} ${count === 1 ? 'needs' : 'need'} attention`,
  actions: (/** @type {number} */ count, /** @type {string} */ text) => `${text} ${count === 1 ? 'action' : 'actions'}`,
  rejected: 'integrations.yaml is not valid. An earlier version of it is in force.',
  more: (/** @type {string} */ text) => `And ${text} more.`,
  models: 'Models',
  noModel: 'No model is configured.',
  standIn: 'Stand-in',
  default: 'Default',
  context: (/** @type {string} */ text) => `${text} tokens of context`,
  prices: (/** @type {string} */ input, /** @type {string} */ output) => `${input} in and ${output} out per million tokens`,
  budget: 'One user in a day (UTC)',
  budgetOf: { runs: 'Answers', steps: 'Requests to a model', tokens: 'Tokens', seconds: 'Seconds', cost: 'Cost' },
  unlimited: 'no limit',
  limits: 'Limits in force',
  limit: 'Limit',
  value: 'Value',
};
