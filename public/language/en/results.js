/** Texts of results in the calendar. */
export const calendar = {
  with: 'With ',
  more: (count) => `and ${count} more`,
  omitted: ' and more',
};
