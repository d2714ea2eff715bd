/** Texts of Activity. */
export const ACTIVITY = {
  title: 'Activity',
  about: 'Every call of an action and every change of your accounts. The last day is loaded; no content is recorded.',
  happened: 'What happened',
  show: 'Show',
  kinds: [
    ['', 'Everything'],
    ['call', 'Calls'],
    ['approval', 'Approvals'],
    ['account', 'Accounts and apps'],
  ],
  older: 'Load older',
  empty: 'Nothing has happened yet.',
  noneOfKind: 'Nothing of this kind is in what is loaded.',
  today: 'Today',
  yesterday: 'Yesterday',
};
