/** Texts of the console's frame: navigation, addresses, sign-in, session. */
export const frame = {
  waiting: (count) => (count === 1 ? ' thing needs you' : ' things need you'),
  pending: ' pending',
  needAttention: (count) => (count === 1 ? ' needs attention' : ' need attention'),
};

/** What stands where something is not there any more, and the way on. */
export const gone = {
  conversation: { text: 'This conversation does not exist any more.', way: 'New conversation' },
  action: { text: 'This action does not exist any more.', way: 'All actions' },
  run: 'This run is not kept any more: runs are kept until the page is loaded again.',
  account: { text: 'This account is not connected any more.', way: 'All accounts' },
  client: { text: 'This app is not connected any more.', way: 'All connected apps' },
};
