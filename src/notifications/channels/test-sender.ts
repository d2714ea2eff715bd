import { randomUUID } from 'node:crypto';
import { notices as words } from '../../../public/language/en/notifications.js';
import type { Clock } from '../../clock/clock.ts';
import type { Telemetry } from '../../observability/telemetry.ts';
import type { Destination } from '../senders/destination.ts';
import { type Outcome, outcomeName, type Senders } from '../senders/sender.ts';

/** Sends a message that says that it is a test. */
export class TestSender {
  readonly #senders: Senders;
  readonly #clock: Clock;
  readonly #telemetry: Telemetry;
  readonly #url: string;

  /** @param url of the page where channels are */
  constructor(senders: Senders, clock: Clock, telemetry: Telemetry, url: string) {
    this.#senders = senders;
    this.#clock = clock;
    this.#telemetry = telemetry;
    this.#url = url;
  }

  send(channelId: string, destination: Destination): Promise<Outcome> {
    return this.#telemetry.step({ kind: 'notification', name: destination.type }, () => this.#send(channelId, destination), outcomeName);
  }

  async #send(channelId: string, destination: Destination): Promise<Outcome> {
    const { mail, push, webhook } = this.#senders;
    const id = randomUUID();
    const happenedAt = new Date(this.#clock.now());
    if (destination.type === 'webhook')
      return webhook.send(destination, { id, type: 'channel.test', data: { channel: channelId }, happenedAt });
    const message = { subject: words.test, items: [{ text: `${words.test}.`, url: this.#url }], more: 0 };
    if (destination.type === 'push') return push.send(destination, { id, message });
    return mail?.send(destination, { id, message }) ?? { error: 'unreachable', isFinal: false };
  }
}
