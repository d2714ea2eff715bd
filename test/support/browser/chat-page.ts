import type { Page } from 'playwright-core';
import { connect, linkBank } from '../scenes/flows.ts';
import type { TestSteward } from '../steward.ts';
import type { Pages } from './page.ts';

interface ChatOptions {
  bank?: boolean;
  account?: boolean;
  /** Permissions of the account that its owner does not give. */
  untick?: string[];
  prepare?: (page: Page) => Promise<unknown>;
}

/** The conversations of the development page, as a user sees them. */
export class ChatPage {
  readonly page: Page;
  readonly token: string;
  /** Addresses of other hosts that the browser asked for something. */
  readonly foreign: string[] = [];

  private constructor(page: Page, token: string, base: string) {
    this.page = page;
    this.token = token;
    const { host } = new URL(base);
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.host !== host && url.protocol !== 'data:') this.foreign.push(request.url());
    });
  }

  /**
   * Signs in, with a workspace account and if wanted a bank.
   *
   * @param options.prepare what is done with the page before it shows the console
   */
  static async open(
    steward: TestSteward,
    pages: Pages,
    user: string,
    { bank = false, account = true, untick = [], prepare }: ChatOptions = {},
  ): Promise<ChatPage> {
    const token = await steward.signIn(user);
    if (account) await connect(steward, { token, email: `${user}@example.com`, untick });
    if (bank) await linkBank(steward, token);
    // Of the same origin, and without scripts.
    const page = await pages.open('/test');
    const chat = new ChatPage(page, token, steward.url);
    await pages.beginSession(page, token);
    await prepare?.(page);
    await page.goto(`${steward.url}/#chat`);
    await page.getByRole('heading', { level: 2, name: 'New conversation' }).waitFor();
    return chat;
  }

  get text() {
    return this.page.getByRole('textbox', { name: 'Message', exact: true });
  }

  get log() {
    return this.page.locator('.chat-log');
  }

  /** Types a message and sends it by Enter. */
  async say(text: string): Promise<void> {
    await this.text.fill(text);
    await this.text.press('Enter');
  }

  /** Sends a message and waits until the answer has ended. */
  async ask(text: string): Promise<void> {
    await this.say(text);
    await this.ended();
  }

  /** Waits until the answer to the last message has ended. */
  async ended(): Promise<void> {
    await this.log.locator('.chat-message.assistant').last().locator('.message-facts').waitFor();
    await this.page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  }
}
