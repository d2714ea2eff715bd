import { describe, expect, it } from 'vitest';
import type { Exchange } from '../support/emulators/recorded-sandbox.ts';
import { readBankDocument } from './bank-document.ts';
import { readGoogleDocument } from './google-document.ts';
import { Judge } from './judge.ts';
import { readOAuthDocument } from './oauth-document.ts';

const judges = {
  workspace: new Judge(readGoogleDocument()),
  oauth: new Judge(readOAuthDocument()),
  bank: new Judge(readBankDocument()),
};

const EVENT = { verb: 'POST', url: '/calendar/v3/calendars/primary/events' };
const BATCH = { verb: 'POST', url: '/v1/documents/d1:batchUpdate' };
const DAY = { start: { date: '2031-05-01' }, end: { date: '2031-05-02' } };

function problemsOf(part: keyof typeof judges, exchange: Partial<Exchange>): string[] {
  return judges[part].problemsOf({ part, verb: 'GET', url: '/', type: '', body: undefined, status: 200, response: {}, ...exchange });
}

describe('the judge of the emulators', () => {
  it('has nothing against what the documents describe', () => {
    expect(problemsOf('workspace', { ...EVENT, body: DAY, response: { created: '2031-05-01T10:00:00.000Z', ...DAY } })).toEqual([]);
    const styles = ['*', 'bold', 'bold,link.url'].map((fields) => ({ updateTextStyle: { fields } }));
    expect(problemsOf('workspace', { ...BATCH, body: { requests: styles } })).toEqual([]);
    expect(problemsOf('workspace', { url: '/drive/v3/files?pageSize=1000', response: { files: [{ size: '5', version: '1' }] } })).toEqual(
      [],
    );
  });

  it.each<[string, Partial<Exchange>]>([
    ['a number above the most', { url: '/drive/v3/files?pageSize=1001' }],
    ['a number below the least', { url: '/drive/v3/files?pageSize=0' }],
    ['a number with a fraction', { ...BATCH, body: { requests: [{ insertText: { text: 'a', location: { index: 1.5 } } }] } }],
    ['a time without an offset', { url: `${EVENT.url}?timeMin=2031-01-01T00:00:00` }],
    ['a day that there is not', { ...EVENT, body: { ...DAY, start: { date: '2031-02-30' } } }],
    ['text that is not base64', { verb: 'POST', url: '/gmail/v1/users/me/messages/send', body: { raw: 'abcde' } }],
    ['a body without what it needs', { ...EVENT, body: { start: DAY.start } }],
    ['a body with what nobody may write', { verb: 'PATCH', url: '/drive/v3/files/f1', body: { size: '5' } }],
    ['a mask of another object', { ...BATCH, body: { requests: [{ updateTextStyle: { fields: 'alignment' } }] } }],
    ['an empty mask', { ...BATCH, body: { requests: [{ updateTextStyle: { fields: '' } }] } }],
    ['a size that is no number', { url: '/drive/v3/files/f1', response: { size: '5 kB' } }],
    ['a day in place of a time', { url: '/drive/v3/files/f1', response: { createdTime: '2031-05-01' } }],
    ['a number of more than 32 bits', { url: '/gmail/v1/users/me/messages', response: { resultSizeEstimate: 2 ** 32 } }],
    ['what the mask did not ask for', { url: '/drive/v3/files?fields=files(id)', response: { files: [{ id: 'f1', name: 'A' }] } }],
    ['an error without reasons', { url: '/drive/v3/about', status: 404, response: { error: { code: 404, message: 'No' } } }],
    [
      'a code of another status',
      { url: '/v1/documents/d1', status: 404, response: { error: { code: 400, message: 'No', status: 'NOT_FOUND' } } },
    ],
    [
      'a word for another status',
      { url: '/v1/documents/d1', status: 404, response: { error: { code: 404, message: 'No', status: 'ABORTED' } } },
    ],
  ])('notices %s', (_what, exchange) => {
    expect(problemsOf('workspace', exchange)).toHaveLength(1);
  });

  it.each<[string, Partial<Exchange>]>([
    ['a code without its verifier', { body: { grant_type: 'authorization_code', code: 'c', redirect_uri: 'https://a.example' } }],
    ['a token without its life', { response: { access_token: 'a', token_type: 'Bearer' } }],
    ['an error of another status', { status: 400, response: { error: 'invalid_client' } }],
    ['a description with a quote', { status: 400, response: { error: 'invalid_grant', error_description: '"no"' } }],
  ])('of OAuth notices %s', (_what, exchange) => {
    const tokens = { access_token: 'a', token_type: 'Bearer', expires_in: 3600 };
    const body = { grant_type: 'refresh_token', refresh_token: 'r' };
    expect(problemsOf('oauth', { verb: 'POST', url: '/token', body, response: tokens })).toEqual([]);
    expect(problemsOf('oauth', { verb: 'POST', url: '/token', body, response: tokens, ...exchange })).not.toEqual([]);
  });

  it.each<[string, Partial<Exchange>]>([
    ['a number above the most', { url: '/transactions/sync', body: { access_token: 'a', count: 501 } }],
    ['an empty text', { url: '/institutions/get_by_id', body: { institution_id: '', country_codes: ['US'] } }],
    ['an empty list', { url: '/sandbox/public_token/create', body: { institution_id: 'ins_1', initial_products: [] } }],
    ['an address that is none', { url: '/item/webhook/update', body: { access_token: 'a', webhook: 'here' } }],
    ['a text that is too long', { url: '/item/remove', body: { access_token: 'a', reason_note: 'x'.repeat(513) } }],
    [
      'a day that there is not',
      { url: '/transactions/get', body: { access_token: 'a', start_date: '2031-02-30', end_date: '2031-03-01' } },
    ],
  ])('of the bank notices %s', (_what, exchange) => {
    expect(problemsOf('bank', { verb: 'POST', status: 200, ...exchange }).filter((problem) => problem.includes(' body '))).toHaveLength(1);
  });
});
