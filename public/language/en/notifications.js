// @ts-check

/** What users are told elsewhere. Nothing of it is a text of others. */
export const notices = {
  anAutomation: 'An automation',
  aClient: 'An app that you connected',
  /** @param {string} name */
  quoted: (name) => `“${name}”`,
  /** @param {string} who */
  asks: (who) => `${who} asks for your approval`,
  /** @param {string} who */
  finished: (who) => `${who} has finished`,
  /** @param {string} who */
  happened: (who) => `${who}: it has happened`,
  /** @param {string} who */
  failed: (who) => `${who} ended with an error`,
  /** @param {string} who */
  paused: (who) => `${who} is paused`,
  pausedByFailures: ' after five failures in a row',
  reconnect: 'An account has to be connected again',
  accountGone: 'A bank does not share an account any more',
  /** @param {string} type */
  channelOff: (type) => `Nothing is sent to ${CHANNELS[type] ?? 'a channel'} any more, because it failed`,
  /** @param {string} time */
  until: (time) => `It can be decided until ${time}.`,
  /** @param {string} action */
  about: (action) => `It is about: ${action}.`,
  /** @param {string} text @param {number} count */
  several: (text, count) => `${text}, and ${count} more`,
  /** @param {number} count */
  andMore: (count) => (count === 1 ? 'There is 1 more.' : `There are ${count} more.`),
  test: 'This is a test: Steward can tell you something here',
  why: 'Steward sends this because you asked to be told here. It decides nothing: what you decide, you decide on its pages.',
  settings: 'To change it: ',
};

/** @type {Record<string, string>} */
const CHANNELS = { mail: 'a mail address', push: 'a browser', webhook: 'a webhook' };

/** The mail with the link that confirms an address, and the page that the link opens. */
export const addressConfirmation = {
  /** @param {string} host */
  subject: (host) => `Confirm this address for Steward at ${host}`,
  /** @param {string} host */
  asked: (host) => `Somebody who uses Steward at ${host} wants to be told there is something to do, at this address.`,
  open: 'If that was you, open this page in the browser in which you are signed in, and confirm it there:',
  ignore: 'If it was not you, do nothing: nothing more is sent here.',
  until: 'The link can be used once, within 24 hours.',
  title: 'Confirm your address',
  heading: 'Be told at this address?',
  may: 'Steward will send mail to ',
  when: ' when an approval waits, a run has finished, or something needs your attention, as you have chosen.',
  yes: 'Confirm this address',
  doneTitle: 'Address confirmed',
  done: 'From now on, Steward tells you at ',
  endedTitle: 'This link can’t be used',
  ended:
    'It was used already, it is older than 24 hours, or it was sent for another user of Steward. If you added the address yourself, sign in as the same user, or have a new link sent.',
  back: 'Go to Steward',
};
