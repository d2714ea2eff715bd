/** Messages of a kind that are kept. */
const MOST = 500;

/** Adds a message to a list, of which the oldest end. */
export function keep<Message>(messages: Message[], message: Message): void {
  messages.push(message);
  if (messages.length > MOST) messages.splice(0, messages.length - MOST);
}
