import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chromiumMissing, Pages, whySkipped } from '../support/browser/page.ts';
import { type LoopbackServer, startLoopbackServer } from '../support/servers/loopback-server.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/react');
const CLIENT = join(import.meta.dirname, '../../client');

describe.skipIf(chromiumMissing)(`examples/react${whySkipped}`, () => {
  let steward: TestSteward;
  let pages: Pages;
  let frontEnd: LoopbackServer;

  beforeAll(async () => {
    steward = await startSteward();
    const script = await bundle();
    const html = readFileSync(join(EXAMPLE, 'index.html'), 'utf8').replace('http://127.0.0.1:8080', steward.url);
    frontEnd = await startLoopbackServer(({ url }, response) => {
      const isScript = url === '/src/app.tsx';
      response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' }).end(isScript ? script : html);
    });
    pages = await Pages.launch(steward);
  });
  afterEach(() => pages.closeAll());
  afterAll(async () => {
    await pages?.browser.close();
    await steward?.stop();
    await frontEnd?.close();
  });

  it('has less than 150 lines', () => {
    const lines = globSync('{index.html,src/*}', { cwd: EXAMPLE }).flatMap((file) =>
      readFileSync(join(EXAMPLE, file), 'utf8').split('\n').slice(1),
    );
    expect(lines.length).toBeLessThan(150);
  });

  it('signs in, connects an account, has a conversation, and asks before a mail is sent', async () => {
    const page = await pages.open(frontEnd.url);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Email').fill('demo@example.com');
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('demo@example.com: active').waitFor();

    await say(page, 'Find the newest mail from Ana');
    await page.getByText('mail_search: output-available').first().waitFor();
    await isReady(page);

    const subject = 'From the example';
    await say(page, `Write to bob@example.com: ${subject}`);
    await page.getByRole('group').filter({ hasText: 'bob@example.com' }).getByRole('button', { name: 'Approve' }).click();
    await page.getByText('mail_send: output-available').waitFor();
    await isReady(page);
    expect(await sent(subject)).toBe(1);

    await say(page, 'Write to bob@example.com: Not this');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('mail_send: output-denied').waitFor();
    await isReady(page);
    expect(await sent('Not this')).toBe(0);

    // The conversation is the service's: another visit shows it.
    await page.reload();
    await page.getByText('mail_send: output-denied').waitFor();
    expect(await page.getByRole('alert').textContent()).toBe('');
    expect(pages.problems.filter((problem) => !/\b404\b/.test(problem))).toEqual([]);
  });

  async function sent(text: string): Promise<number> {
    const token = await steward.signIn();
    const body = JSON.stringify({ query: `in:sent "${text}"` });
    const headers = { 'content-type': 'application/json' };
    return (await steward.call('/agents/mail.search', { token, body, headers })).body.data.items.length;
  }
});

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** The answer has ended. */
async function isReady(page: Page): Promise<void> {
  await page.locator('button:enabled', { hasText: 'Send' }).waitFor();
}

/** The example as its build tool would make it. */
async function bundle(): Promise<string> {
  const build = await rolldown({
    input: join(EXAMPLE, 'src/app.tsx'),
    platform: 'browser',
    transform: { jsx: 'react-jsx', define: { 'process.env.NODE_ENV': '"production"' } },
    resolve: {
      alias: {
        '@steward/client/http': join(CLIENT, 'generated/http/http.js'),
        '@steward/client': join(CLIENT, 'steward-client.js'),
      },
    },
    onLog: (level, log, handle) => (level === 'warn' ? undefined : handle(level, log)),
  });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  return output[0].code;
}
