import { DEMONSTRATION } from '../../language/en/chat.js';

/**
 * Requests to which the stand-in model answers by obeying what is written in the sandbox's content. docs/assistant.md
 * describes each. `source`: the source that it needs.
 */
export const DEMONSTRATIONS = [
  { id: 'mail', text: DEMONSTRATION.mail },
  { id: 'event', text: DEMONSTRATION.event },
  { id: 'file', text: DEMONSTRATION.file },
  { id: 'ticket', text: DEMONSTRATION.ticket, source: 'tickets' },
];

let asked;

/** Asks for a demonstration: the view of the conversations starts it when it is shown next. @param id one of {@link DEMONSTRATIONS} */
export function askForDemonstration(id) {
  asked = id;
}

/** The demonstration that was asked for, which is then forgotten. */
export function takeDemonstration() {
  const id = asked;
  asked = undefined;
  return DEMONSTRATIONS.find((one) => one.id === id);
}

/** Whether a thread shows a demonstration. @param title of the thread */
export function isDemonstration({ title }) {
  return title.startsWith(DEMONSTRATION.begin);
}
