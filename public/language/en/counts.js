// @ts-check

/**
 * @param {string} one
 * @param {string} many
 */
const counted =
  (one, many = `${one}s`) =>
  /** @param {number} count @param {import('../formatter.js').Formatter} formatter who writes the number */
  (count, formatter) =>
    `${formatter.number(count)} ${count === 1 ? one : many}`;

/** How many there are: “1 message”, “3 messages”. */
export const counts = {
  accounts: counted('account'),
  calls: counted('call'),
  events: counted('event'),
  files: counted('file'),
  freeSlots: counted('free slot'),
  labels: counted('label'),
  messages: counted('message'),
  people: counted('person', 'people'),
  peopleAndGroups: counted('person or group', 'people and groups'),
  rows: counted('row'),
  slides: counted('slide'),
  tabs: counted('tab'),
  tokens: counted('token'),
  transactions: counted('transaction'),
};
