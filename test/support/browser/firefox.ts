import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program } from '../processes/programs.ts';
import { eventually } from '../time/eventually.ts';
import { BiDi } from './bidi.ts';

/** It asks no host of its own for anything. */
const PREFERENCES = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.safebrowsing.downloads.enabled': false,
  'browser.safebrowsing.malware.enabled': false,
  'browser.safebrowsing.phishing.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,#remote-settings-dummy/v1',
  'toolkit.telemetry.server': '',
  'ui.prefersReducedMotion': 1,
};

/** Debian's Firefox, with a profile of its own. */
export class Firefox {
  readonly #program: Program;
  readonly #profile: string;
  readonly #bidi: BiDi;

  private constructor(program: Program, profile: string, bidi: BiDi) {
    this.#program = program;
    this.#profile = profile;
    this.#bidi = bidi;
  }

  static async launch(): Promise<Firefox> {
    const profile = mkdtempSync(join(tmpdir(), 'firefox-'));
    const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
    writeFileSync(join(profile, 'user.js'), lines.join('\n'));
    const options = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0', '--width=1280', '--height=800'];
    const program = new Program('/usr/bin/firefox-esr', options, { env: { HOME: profile, MOZ_CRASHREPORTER_DISABLE: '1' } });
    const address = await eventually(() => /WebDriver BiDi listening on (ws:\/\/\S+)/.exec(program.output)?.[1]);
    return new Firefox(program, profile, await BiDi.connect(address));
  }

  /** A tab of a user without cookies. */
  async open(url: string): Promise<FirefoxTab> {
    const { userContext } = await this.#bidi.send('browser.createUserContext', {});
    const { context } = await this.#bidi.send('browsingContext.create', { type: 'tab', userContext });
    const tab = new FirefoxTab(this.#bidi, context);
    await tab.goto(url);
    return tab;
  }

  async close(): Promise<void> {
    this.#bidi.close();
    await this.#program.stop();
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs in the page: the shown element of a selector whose name or text has the words. */
const FIND = `(selector, words) => [...document.querySelectorAll(selector)].find((node) => {
  const labels = [...(node.labels ?? [])].map((label) => label.textContent);
  const name = [node.getAttribute('aria-label'), ...labels, node.textContent].join(' ').replace(/\\s+/g, ' ');
  return node.checkVisibility() && !node.disabled && name.includes(words);
})`;

/** Runs in the page: whether the element is where it stays, in view and not covered; false: it is no longer in the page. */
const SETTLED = `(node) => new Promise((resolve) => {
  let last = '';
  const look = () => {
    node.scrollIntoView({ block: 'center', behavior: 'instant' });
    const { x, y, width, height } = node.getBoundingClientRect();
    const place = [x, y, width, height].join();
    const isOnTop = node.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    if (!node.isConnected || node.disabled) resolve(false);
    else if (place === last && isOnTop) resolve(true);
    else {
      last = place;
      requestAnimationFrame(look);
    }
  };
  look();
})`;

const AWAIT_CLICK = `(element) => {
  element.wasClicked = false;
  element.addEventListener('click', () => { element.wasClicked = true; }, { once: true, capture: true });
}`;
const WAS_CLICKED = '(element) => element.wasClicked';

/** A tab, used as a person does: by what is shown, with mouse and keys. */
export class FirefoxTab {
  readonly #bidi: BiDi;
  readonly #context: string;

  constructor(bidi: BiDi, context: string) {
    this.#bidi = bidi;
    this.#context = context;
  }

  async goto(url: string): Promise<void> {
    await this.#bidi.send('browsingContext.navigate', { context: this.#context, url, wait: 'complete' });
  }

  /** The element of a selector with these words, once it is shown. */
  see(selector: string, words: string): Promise<{ sharedId: string }> {
    return eventually(async () => {
      const { result } = await this.#call(FIND, [selector, words].map(textOf));
      return result?.type === 'node' && { sharedId: result.sharedId as string };
    });
  }

  /** What moves or is drawn again under the pointer gets no click, so it is clicked until one arrives. */
  async click(selector: string, words: string): Promise<void> {
    await eventually(async () => {
      const element = await this.see(selector, words);
      if ((await this.#call(SETTLED, [element])).result.value !== true) return false;
      await this.#call(AWAIT_CLICK, [element]);
      await this.#perform('pointer', [
        { type: 'pointerMove', x: 0, y: 0, origin: { type: 'element', element } },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ]);
      // A click that led to another page has taken the element with it.
      return this.#call(WAS_CLICKED, [element]).then(
        ({ result }) => result.value === true,
        () => true,
      );
    });
  }

  /** Types into the field with this label. */
  async type(selector: string, label: string, text: string): Promise<void> {
    await this.click(selector, label);
    await this.#perform(
      'key',
      [...text].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]),
    );
  }

  #call(functionDeclaration: string, values: object[]): Promise<any> {
    const target = { context: this.#context };
    return this.#bidi.send('script.callFunction', { functionDeclaration, arguments: values, target, awaitPromise: true });
  }

  #perform(type: 'key' | 'pointer', actions: object[]): Promise<unknown> {
    return this.#bidi.send('input.performActions', { context: this.#context, actions: [{ type, id: type, actions }] });
  }
}

function textOf(value: string): object {
  return { type: 'string', value };
}
