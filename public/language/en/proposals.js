import { counted, english } from '../english.js';

/** Texts of the question that proposes an automation. */

export const PROPOSAL = {
  name: 'Name',
  when: 'Runs',
  prompt: 'The assistant is asked',
  does: 'Does',
  tells: 'Only tells you',
  reads: 'May read',
  changes: 'May change',
  nothing: 'Nothing',
  later: 'May also use',
  accounts: 'Accounts',
  allAccounts: 'All, also those that you connect later',
  asks: 'Where it has to ask you',
  limits: 'Limits',
};

/** What happens where a run needs the user's approval. Nothing is approved without them. */
export const WHEN_ASKED = {
  wait: 'It waits for your answer',
  skip: 'It leaves that out',
  draft: 'A mail becomes a draft; anything else is left out',
};

/** Of a pattern that covers what is added later. @param {readonly string[] | undefined} groups undefined: all */
export const laterWords = (groups) =>
  groups === undefined ? 'Everything that is added later' : `What is added later to ${english.list(groups)}`;

/** @param {{ steps: number, tokens: number, cost?: number | null | undefined, runs_per_hour: number, runs_per_day: number }} budget */
export const limitWords = ({ steps, tokens, cost, runs_per_hour: hourly, runs_per_day: daily }) => {
  const money = cost === undefined || cost === null ? '' : `, at a cost of at most ${english.number(cost)}`;
  const run = `${counted(steps, '1 step', (many) => `${many} steps`)} and ${english.number(tokens)} tokens in a run${money}`;
  return `${run}; ${counted(hourly, '1 run', (many) => `${many} runs`)} an hour, ${english.number(daily)} a day`;
};
