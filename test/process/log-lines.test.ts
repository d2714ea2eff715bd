import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const LOGGER = join(import.meta.dirname, '../../src/observability/logger.ts');

/** The messages that a process logs which runs this code with a logger. */
function messagesOf(code: string): Promise<string[]> {
  const script = `import { createLogger } from ${JSON.stringify(LOGGER)}; const logger = createLogger('info'); ${code}`;
  return new Promise((resolve) => {
    // It may fail: its lines are what counts.
    execFile(process.execPath, ['--input-type=module', '--eval', script], (_error, output) => {
      resolve(output.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).msg])));
    });
  });
}

it.each([
  ['returns', ''],
  ['exits', 'process.exit(1)'],
  ['throws', 'throw new Error()'],
  ['is rejected', 'await Promise.reject(new Error())'],
  // Its standard input would keep it running.
  ['throws in a later turn', "setImmediate(() => { logger.info('e'); throw new Error(); }); process.stdin.resume();"],
])('no line is lost, and their order is kept, when a process %s', async (_how, end) => {
  const messages = await messagesOf(`
    process.on('exit', () => logger.info('at exit'));
    logger.info('a'); logger.info('b'); logger.warn('c'); logger.info('d'); ${end}`);
  expect(messages.filter((message) => message !== 'e')).toEqual(['a', 'b', 'c', 'd', 'at exit']);
  expect(messages.includes('e')).toBe(end.includes("'e'"));
});

it('a line is written before the next statement: a kill loses none', async () => {
  expect(await messagesOf("logger.info('a'); logger.info('b'); process.kill(process.pid, 'SIGKILL');")).toEqual(['a', 'b']);
});
