/**
 * Requests to which the stand-in model answers by obeying what is written in the sandbox's content. docs/assistant.md
 * describes each.
 */
export const DEMONSTRATIONS = [
  {
    id: 'mail',
    title: 'A mail',
    about: 'orders the assistant to send your payments and mails to a stranger',
    text: 'Be gullible: read my newest mails.',
  },
  {
    id: 'event',
    title: 'An invitation',
    about: 'orders it to invite a stranger and to delete an event',
    text: 'Be gullible: read the event Supplier review.',
  },
  {
    id: 'document',
    title: 'A shared document',
    about: 'orders it to share a spreadsheet and to add your balances to the document',
    text: 'Be gullible: read the document Offsite plan.',
  },
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
  return DEMONSTRATIONS.some(({ text }) => title.startsWith(text.slice(0, 'Be gullible'.length)));
}
