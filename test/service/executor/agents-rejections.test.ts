import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { providerMessage } from '../../../src/providers/shared/provider-words.ts';
import { readRenewal } from '../../../src/providers/workspace/workspace-renewal.ts';
import { WorkspaceEmulator } from '../../support/emulators/workspace-emulator.ts';
import { respond, ScriptedServer } from '../../support/servers/scripted-server.ts';
import { startSteward, type TestSteward } from '../../support/steward.ts';
import { callAction } from '../../support/users/agents.ts';
import { connectGrant } from '../../support/users/refreshing.ts';

/** The provider's rejections, and what callers and the operator receive. */
let provider: WorkspaceEmulator;
let api: ScriptedServer;
let steward: TestSteward;
let token: string;

beforeAll(async () => {
  provider = await new WorkspaceEmulator().start();
  api = await new ScriptedServer().start();
  steward = await startSteward({ ...provider.env, GOOGLE_API_URL: api.url });
});

afterAll(async () => {
  await steward.stop();
  await provider.stop();
  await api.stop();
});

beforeEach(async () => {
  api.reset();
  token = (await connectGrant(steward, provider, steward.sql)).token;
});

/** A rejection in the older format, with the newer one beside it. */
function rejected(status: number, reason: string, message = 'No.', more: object = {}) {
  return { status, body: { error: { code: status, message, errors: [{ message, domain: 'usageLimits', reason }], ...more } } };
}

async function refusal(action: string, input: unknown = {}): Promise<any> {
  return callAction(steward, action, input, { token }).then(
    () => Promise.reject(new Error('it succeeded')),
    (error: unknown) => error,
  );
}

async function lines(work: () => Promise<unknown>): Promise<any[]> {
  const { length } = steward.logs;
  await work();
  return steward.logs.slice(length).map((line) => JSON.parse(line));
}

const LABELS = '/gmail/v1/users/me/labels';
const SHEET = '/v4/spreadsheets/s1';

describe('a limit of the provider', () => {
  it.each(['dailyLimitExceeded', 'dailyLimitExceededUnreg', 'sharingRateLimitExceeded', 'variableTermLimitExceeded', 'quotaExceeded'])(
    '%s lasts: it is not an access error, and not retried immediately',
    async (reason) => {
      api.on(LABELS, rejected(403, reason));
      expect(await refusal('mail.labels')).toMatchObject({ code: 'rate_limited', retryAfter: 3600, details: { provider: { reason } } });
      expect(api.calls).toHaveLength(1);
    },
  );

  it('of a day in the newer format also lasts, for the provider’s time', async () => {
    const details = [{ reason: 'RATE_LIMIT_EXCEEDED', metadata: { quota_limit: 'ReadRequestsPerDayPerProject' } }];
    const body = { error: { code: 429, message: 'Quota exceeded', status: 'RESOURCE_EXHAUSTED', details } };
    api.on(LABELS, { status: 429, body, headers: { 'retry-after': '120' } });
    expect(await refusal('mail.labels')).toMatchObject({ code: 'rate_limited', retryAfter: 120 });
    expect(api.calls).toHaveLength(1);
  });

  it.each(['rateLimitExceeded', 'userRateLimitExceeded', 'concurrentLimitExceeded', 'servingLimitExceeded'])(
    '%s is short: the call is retried',
    async (reason) => {
      let times = 0;
      api.on(LABELS, (response) => {
        times += 1;
        respond(response, times === 1 ? rejected(403, reason) : { body: { labels: [] } });
      });
      expect((await callAction(steward, 'mail.labels', {}, { token })).data).toEqual({ items: [] });
    },
  );

  it('is honoured without JSON by its Retry-After, in seconds or as a date', async () => {
    for (const header of ['90', new Date(steward.clock.now() + 90_000).toUTCString()]) {
      api.reset();
      api.on(LABELS, { status: 429, body: '<h1>Too many</h1>', headers: { 'retry-after': header } });
      const error = await refusal('mail.labels');
      expect(error.code).toBe('rate_limited');
      expect(error.retryAfter).toBeGreaterThan(60);
      expect(error.retryAfter).toBeLessThanOrEqual(90);
      expect(api.calls).toHaveLength(1);
    }
  });
});

describe('an API that the operator has not enabled', () => {
  const MESSAGE =
    'Gmail API has not been used in project 123456789012 before or it is disabled. Enable it by visiting https://console.example/?project=123456789012 then retry.';

  it('concerns the operator: one log line names it, and users get not_configured', async () => {
    api.on(LABELS, rejected(403, 'accessNotConfigured', MESSAGE));
    const said = await lines(async () => {
      for (let times = 0; times < 3; times += 1) {
        const error = await refusal('mail.labels');
        expect(error).toMatchObject({ code: 'not_configured', status: 503 });
        expect(JSON.stringify([error.message, error.details])).not.toContain('123456789012');
      }
    });
    expect(said.filter(({ level }) => level >= 50)).toMatchObject([{ level: 50, api: 'gmail.googleapis.com', action: 'mail.labels' }]);
    expect(JSON.stringify(said)).not.toContain('has not been used in project');
  });

  it('is recognized in the newer format too, by the provider’s name for it', async () => {
    const details = [{ reason: 'SERVICE_DISABLED', metadata: { service: 'sheets.googleapis.com', consumer: 'projects/1' } }];
    api.on(SHEET, { status: 403, body: { error: { code: 403, message: 'x', status: 'PERMISSION_DENIED', details } } });
    const said = await lines(async () =>
      expect(await refusal('spreadsheets.info', { id: 's1' })).toMatchObject({ code: 'not_configured' }),
    );
    expect(said.filter(({ level }) => level >= 50)).toMatchObject([{ api: 'sheets.googleapis.com' }]);
  });
});

describe('the provider’s message', () => {
  it('reaches the caller beside the service’s message; the log has the code only', async () => {
    api.on(LABELS, rejected(403, 'domainPolicy', 'The domain administrators have disabled\n\u202eGmail apps.'));
    let error: any;
    const said = await lines(async () => {
      error = await refusal('mail.labels');
    });
    const words = { reason: 'domainPolicy', message: 'The domain administrators have disabled Gmail apps.' };
    expect(error).toMatchObject({ code: 'forbidden', details: { provider: words } });
    expect(error.message).toBe('The provider forbids this: domainPolicy.');
    expect(said.find(({ reason }) => reason !== undefined)).toMatchObject({ level: 30, action: 'mail.labels', reason: 'domainPolicy' });
    expect(JSON.stringify(said)).not.toContain('administrators');
  });

  it('contains neither the token that was sent nor text that looks like a secret', async () => {
    const hidden = 'Bearer abc.def-123 for ana@example.org, see https://x.example/a?key=AIzaSyCanary1&x=1 eyJhbGciOi.eyJzdWIi.c2ln';
    api.on(LABELS, (response, { method }) =>
      respond(
        response,
        rejected(403, 'forbidden', `${hidden} ${method} ya29.canary-token-1 refresh_token: 1//0canary 0123456789abcdef0123456789abcdef`),
      ),
    );
    const said = await lines(async () => {
      const { details } = await refusal('mail.labels');
      const { message } = details.provider;
      expect(message).toContain('see https://x.example/a');
      for (const secret of ['abc.def', 'ana@', 'AIza', 'eyJ', 'ya29', 'canary', '0123456789abcdef']) expect(message).not.toContain(secret);
    });
    expect(JSON.stringify(said)).not.toMatch(/AIza|ana@example|ya29|0canary/);
  });

  it('is truncated, in time proportional to the inspected part', () => {
    for (const unit of ['a', ' ', '@', 'a@', 'eyJ', '?a=', 'token', 'Bearer ', '1', '-', 'a.', '\u202e', '\ud800', 'access-a-']) {
      const shown = providerMessage(unit.repeat(1_000_000));
      expect(shown.length).toBeLessThanOrEqual(301);
    }
    expect(providerMessage('x secret-thing y', ['secret-thing'])).toBe('x [redacted] y');
    expect(providerMessage('ACCESS_TOKEN_SCOPE_INSUFFICIENT')).toBe('ACCESS_TOKEN_SCOPE_INSUFFICIENT');
    expect(providerMessage({ toString: () => 'x' })).toBe('');
  });

  it.each([
    ['User jane.doe%40corp.example lacks access', 'jane', 'corp'],
    ['User jane.doe%2540corp.example lacks access', 'jane', 'corp'],
    ['Not shared with "john secretdoe"@corp.example.', 'john', 'secretdoe', 'corp'],
    ['Not shared with jörg.müller@corp.example.', 'j', 'rg', 'ller', 'corp'],
    ['Not shared with jo\u0308rg@bücher.example.', 'rg', 'cher'],
    ['Not shared with 李雷@例子.example', '李', '例'],
    ["Not shared with o'brien!x@corp.example.", 'brien', "o'", 'corp'],
    ['Not shared with jane.doe＠corp.example', 'jane', 'corp'],
    ['Not shared with jane.doe\u200b\u2060@\u200bcorp.example', 'jane', 'corp'],
    ['Not shared with ja\u00adne.doe\ufe0f@corp.example', 'ja', 'doe', 'corp'],
    ['See https://ana:hunter@corp.example/x', 'ana', 'hunter'],
    ['Invalid Bearer   abcd.efgh was sent', 'abcd', 'efgh'],
    ['Invalid Bearer "abcd.efgh" was sent', 'abcd', 'efgh'],
    ['Invalid Authorization: Bearer\t\\"abcd.efgh\\"', 'abcd', 'efgh'],
    ['API key: AbCdEfGh', 'AbCd'],
    ['x-goog-api-key: AbCdEfGh', 'AbCd'],
    ['The client_secret GOCSPX-abcdefghij is wrong', 'GOCSPX', 'abcdefghij'],
    ['The client_secret s3cr3tword is wrong', 's3cr3t'],
    ['GET https://x.example/keys/s3cr3t/versions', 's3cr3t'],
    ['GET /v1/tokens/s3cr3t and projects/p/secrets/hidden', 's3cr3t', 'hidden'],
    [String.raw`{\"password\":\"hunter two\",\"a\":1}`, 'hunter', 'two'],
    [String.raw`{"password": "it's \"hunter\" two", "a": 1}`, 'it', 'hunter', 'two'],
    ['The password is hunter', 'hunter'],
    ['Account DE89 3704 0044 0532 0130 00 is closed', '89', '3704', '00'],
    ['Account GB82 WEST 1234 5698 7654 32 is closed', '82', 'WEST', '1234', '32'],
    ['Card 4111-1111-1111-1111 is refused', '4111', '1111'],
    ['Card 4111 1111 1111 1111 is refused', '4111', '1111'],
    ['Card 4111\u20111111\u00a01111\u202f1111 is refused', '4111', '1111'],
    ['SSN 123-45-6789', '123', '45', '6789'],
    ['Cookie: SID=abc.def; HSID=ghi', 'abc', 'def', 'ghi'],
    ['Set-Cookie: SID=abc; Path=/', 'abc'],
    [`Value ${'abcdefghij'.repeat(4)} is wrong`, 'abcdefghij'],
  ])('does not contain the secret in %j', (text, ...hidden) => {
    const shown = providerMessage(text);
    expect(shown).toContain('[redacted]');
    for (const part of hidden) expect(shown.replaceAll('[redacted]', '')).not.toContain(part);
    // The text before it stays.
    expect(shown).toMatch(/^(Not shared with|User|See|Invalid|API|x-|api-|The|GET|Account|Card|SSN|Cookie|Set-|Value|\{)/);
  });

  it.each([
    'Insufficient Permission',
    'The caller does not have permission',
    'Request had insufficient authentication scopes.',
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
    'RATE_LIMIT_EXCEEDED_FOR_EVERY_USER_OF_THIS_PROJECT',
    'dailyLimitExceededUnreg',
    'File not found: notes.txt.',
    'Requested entity was not found.',
    'API key not valid. Please pass a valid API key.',
    'API keys are not supported by this API.',
    'Token has been expired or revoked.',
    'The password is incorrect',
    'The access token is not valid.',
    'Bearer token is missing',
    'Basic authentication is off',
    'The quota resets on 2026-05-01 10:00:00.',
    'Quota exceeded for quota metric ‘Read requests’ and limit ‘Read requests per minute’.',
    'Range (Sheet1!A1:B2) exceeds grid limits. Max rows: 1000, max columns: 26',
    'Google Docs API has not been used in this project before or it is disabled.',
  ])('contains ordinary text unchanged: %s', (text) => {
    expect(providerMessage(text)).toBe(text);
  });
});

describe('a file of the wrong type', () => {
  const EXCEL = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
  const NATIVE = 'application/vnd.google-apps.';
  const unsupported = (form: 'old' | 'new') => ({
    status: 400,
    body: {
      error: {
        code: 400,
        message: 'This operation is not supported for this document',
        status: 'FAILED_PRECONDITION',
        ...(form === 'old' && { errors: [{ reason: 'failedPrecondition' }] }),
      },
    },
  });

  it.each([
    ['spreadsheets.read', { id: 's1', range: 'A1:B2' }, '/v4/spreadsheets/s1/values/A1%3AB2', EXCEL, 'an Excel file', 'drive.read'],
    ['spreadsheets.info', { id: 's1' }, SHEET, 'text/csv', 'a CSV file', 'drive.read'],
    ['spreadsheets.info', { id: 's1' }, SHEET, `${NATIVE}document`, 'a document', 'documents.read'],
    ['documents.read', { id: 's1' }, '/v1/documents/s1', 'application/pdf', 'a PDF file', 'drive.read'],
    ['documents.read', { id: 's1' }, '/v1/documents/s1', `${NATIVE}spreadsheet`, 'a spreadsheet', 'spreadsheets.read'],
    ['documents.append', { id: 's1', text: 'x' }, '/v1/documents/s1', 'application/msword', 'a Word file', 'drive.read'],
    ['presentations.read', { id: 's1' }, '/v1/presentations/s1', 'application/vnd.ms-powerpoint', 'a PowerPoint file', 'drive.read'],
    ['presentations.read', { id: 's1' }, '/v1/presentations/s1', `${NATIVE}folder`, 'a folder', 'drive.search'],
    ['presentations.read', { id: 's1' }, '/v1/presentations/s1', 'constructor/x', 'of the type constructor/x', 'drive.read'],
  ])('%s of %j names its type and the action that reads it', async (action, input, path, mimeType, is, use) => {
    api.on('/drive/v3/files/s1', { body: { id: 's1', name: 'Plan “B”', mimeType } });
    for (const response of [unsupported('old'), unsupported('new'), rejected(404, 'notFound')]) {
      api.on(decodeURIComponent(path), response);
      api.on(path, response);
      api.on(SHEET, response);
      const error = await refusal(action, input);
      expect(error).toMatchObject({ code: 'invalid_request', details: { use } });
      expect(error.message).toBe(`id: “Plan 'B'” is ${is}: use ${use}.`);
    }
  });

  it('does not report this for a file of the right type, or a missing one', async () => {
    api.on(SHEET, unsupported('new'));
    api.on('/drive/v3/files/s1', { body: { id: 's1', name: 'Plan', mimeType: `${NATIVE}spreadsheet` } });
    const words = { message: 'This operation is not supported for this document', reason: 'FAILED_PRECONDITION' };
    expect(await refusal('spreadsheets.info', { id: 's1' })).toMatchObject({ code: 'invalid_request', details: { provider: words } });
    api.reset();
    expect(await refusal('spreadsheets.info', { id: 's1' })).toMatchObject({ code: 'not_found' });
  });
});

describe('a refresh that the account’s administrator rejects', () => {
  it.each(['access_denied', 'admin_policy_enforced', 'invalid_grant'])('%s requires the user to reconnect', (error) => {
    expect(readRenewal({ status: 400, body: { error }, retryAfter: 0 }).kind).toBe('ended');
    expect(readRenewal({ status: 403, body: { error: 'x', error_subtype: error }, retryAfter: 0 }).kind).toBe('ended');
    expect(readRenewal({ status: 503, body: { error }, retryAfter: 0 }).kind).toBe('failed');
  });
});
