import { z } from 'zod';

/** Ids that front ends choose for threads and messages. */
export const CHOSEN_ID = /^[A-Za-z0-9_-]{1,64}$/;
const chosenId = z.string().regex(CHOSEN_ID, 'must be 1 to 64 letters, digits, _ or -');

export const threadId = chosenId;

/**
 * What the AI SDK's chat transports send. Of the messages only the last one is read: a thread's history is the service's
 * own, and a client can't change it. Not strict, because front ends add fields of their own.
 */
export const chatRequest = z.object({
  /** The thread's. */
  id: threadId,
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  /** Of the message that is replaced. */
  messageId: z.string().max(64).nullish(),
  messages: z
    .array(z.unknown())
    .min(1, 'must contain the last message')
    .overwrite((messages) => messages.slice(-1)),
});

/** One of the configured models, by its name; left out: the default. */
export const chatModel = z.string().min(1).max(100).optional();

/** A message of a client, as far as it is read. */
export const clientMessage = z.object({
  id: chosenId,
  role: z.enum(['user', 'assistant']),
  parts: z.array(z.looseObject({ type: z.string() })),
});

export interface ChatRequest extends Omit<z.output<typeof chatRequest>, 'messageId'> {
  model?: string | undefined;
}
