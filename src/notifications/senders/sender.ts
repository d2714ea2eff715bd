import type { AppError } from '../../errors.ts';
import type { Delivery } from '../notices/deliveries-repository.ts';
import type { MailDestination, PushDestination, WebhookDestination } from './destination.ts';
import type { Message } from './message-text.ts';

/** How sending ended: code of the error if it failed. */
export type Outcome = 'sent' | Failure;

export interface Failure {
  error: 'unreachable' | 'timed_out' | 'forbidden_address' | 'rejected' | 'gone';
  /** Nothing will ever be taken there. */
  isFinal: boolean;
}

/** What is sent: the same id with each try. */
export interface Outgoing {
  id: string;
  message: Message;
}

/** What a webhook is told. */
export interface WebhookEvent extends Pick<Delivery, 'id' | 'data' | 'happenedAt'> {
  type: Delivery['type'] | 'channel.test';
}

/** Sends to the destinations of one type. It does not throw for what the other side does. */
export interface Sender<To> {
  send(to: To, outgoing: Outgoing): Promise<Outcome>;
}

export interface Senders {
  /** undefined: mail is not configured. */
  mail: Sender<MailDestination> | undefined;
  push: Sender<PushDestination>;
  /** One message for each delivery, with ids only. */
  webhook: { send(to: WebhookDestination, event: WebhookEvent): Promise<Outcome> };
}

export const GONE: Failure = { error: 'gone', isFinal: true };
export const REJECTED: Failure = { error: 'rejected', isFinal: false };

/** @param error of Outbound */
export function failureOf({ code }: AppError): Failure {
  if (code === 'provider_timeout') return { error: 'timed_out', isFinal: false };
  return { error: code === 'forbidden' ? 'forbidden_address' : 'unreachable', isFinal: false };
}

/** As metrics count it. */
export function outcomeName(outcome: Outcome): string {
  return outcome === 'sent' ? 'sent' : outcome.error;
}
