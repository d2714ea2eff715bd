import { expect, it } from 'vitest';
import { composed } from '../../../src/actions/mail/mail-compose.ts';
import { originOf } from '../../../src/automations/looking/automated-mail.ts';

const MAIL = { to: [{ name: '', address: 'ana@example.com' }], cc: [], bcc: [], subject: 'Hi', body: 'Hello', files: [], reply: undefined };

/** What the header fields of a mail say of who has sent it. */
async function origin(isAutomatic: boolean) {
  const mime = Buffer.from(await composed.run({ message: { ...MAIL, isAutomatic }, from: 'me@example.com' })).toString();
  const [head = ''] = mime.split('\r\n\r\n', 1);
  const fields = head.split('\r\n').map((line) => ({ name: line.split(':', 1)[0] ?? '', value: line.slice(line.indexOf(':') + 1) }));
  return originOf(fields);
}

it('a mail that a run sends says so, and one that a person sends does not', async () => {
  expect([await origin(true), await origin(false)]).toEqual(['automated', 'person']);
});
