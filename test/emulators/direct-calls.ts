import type { PlaidApi } from 'plaid';
import { sdk } from '../support/emulators/bank-sandbox-host.ts';
import type { Person } from '../support/emulators/workspace-content.ts';
import { createPublicToken } from '../support/scenes/flows.ts';
import type { TestSteward } from '../support/steward.ts';
import { callDeclared } from './declared-calls.ts';

type Google = Person['google'];

/** Asks the workspace's emulators for what no action asks for. */
export async function callGoogleDirectly(google: Google): Promise<void> {
  const sent = async (...request: Parameters<Google>) => (await google(...request)).body;
  const { historyId } = await sent('GET', '/gmail/v1/users/me/profile');
  const { startPageToken } = await sent('GET', '/drive/v3/changes/startPageToken');
  await google('GET', '/gmail/v1/users/me/threads?maxResults=2&q=in:inbox');
  const [{ id: message }] = (await sent('GET', '/gmail/v1/users/me/messages?maxResults=1')).messages;
  for (const format of ['minimal', 'full', 'raw', 'metadata'])
    await google('GET', `/gmail/v1/users/me/messages/${message}?format=${format}`);
  await google('POST', `/gmail/v1/users/me/messages/${message}/modify`, { addLabelIds: ['STARRED'] });
  await google('POST', `/gmail/v1/users/me/messages/${message}/trash`);
  await google('POST', `/gmail/v1/users/me/messages/${message}/untrash`);
  const raw = Buffer.from('From: a@example.com\r\nTo: b@example.com\r\nSubject: Old\r\n\r\nHello.').toString('base64url');
  for (const method of ['messages', 'messages/import']) {
    await google('POST', `/gmail/v1/users/me/${method}?internalDateSource=dateHeader`, { raw, labelIds: ['INBOX'] });
  }
  await google('GET', `/gmail/v1/users/me/history?startHistoryId=${historyId}&maxResults=2`);
  await google('GET', `/gmail/v1/users/me/history?startHistoryId=${historyId}&historyTypes=messageAdded`);
  await callCalendar(google);
  const { files } = await sent('GET', '/drive/v3/files?fields=*&pageSize=100');
  for (const { id } of files) await google('GET', `/drive/v3/files/${id}?fields=*&supportsAllDrives=true`);
  for (const { id } of files) await google('GET', `/drive/v3/files/${id}/comments?fields=*`);
  await google('GET', '/drive/v3/about?fields=*');
  const { id: folder } = await sent('POST', '/drive/v3/files', { name: 'Gone', mimeType: 'application/vnd.google-apps.folder' });
  await google('DELETE', `/drive/v3/files/${folder}`);
  await google('GET', `/drive/v3/changes?pageToken=${startPageToken}&fields=*`);
  const ofType = (type: string) => files.filter(({ mimeType }: { mimeType: string }) => mimeType === `application/vnd.google-apps.${type}`);
  for (const { id } of ofType('document')) await google('GET', `/v1/documents/${id}?includeTabsContent=true`);
  for (const { id } of ofType('spreadsheet')) await callSheets(google, id);
  for (const { id } of ofType('presentation')) await callSlides(google, id);
}

async function callCalendar(google: Google): Promise<void> {
  const events = '/calendar/v3/calendars/primary/events';
  const start = { dateTime: '2031-06-02T10:00:00+02:00', timeZone: 'Europe/Berlin' };
  const end = { dateTime: '2031-06-02T11:00:00+02:00', timeZone: 'Europe/Berlin' };
  const event = { summary: 'Choir', start, end, recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'], reminders: { useDefault: true } };
  const { body } = await google('POST', events, event);
  await google('GET', `${events}/${body.id}/instances`);
  await google('PUT', `${events}/${body.id}`, { ...event, summary: 'Orchestra' });
  await google('GET', `${events}?showDeleted=true&timeMin=2031-01-01T00:00:00Z`);
  const { nextSyncToken } = (await google('GET', `${events}?maxResults=2500`)).body;
  const { body: gone } = await google('POST', events, event);
  await google('DELETE', `${events}/${gone.id}`);
  await google('GET', `${events}?syncToken=${encodeURIComponent(nextSyncToken)}`);
}

async function callSheets(google: Google, id: string): Promise<void> {
  const { sheets } = (await google('GET', `/v4/spreadsheets/${id}`)).body;
  const [{ properties }] = sheets;
  const range = encodeURIComponent(`'${properties.title.replaceAll("'", "''")}'!A1:B1`);
  await google('GET', `/v4/spreadsheets/${id}/values/${range}?majorDimension=COLUMNS`);
  await google('PUT', `/v4/spreadsheets/${id}/values/${range}?valueInputOption=RAW`, { values: [['a', 1]] });
  await google('POST', `/v4/spreadsheets/${id}:batchUpdate`, { requests: [{ addSheet: { properties: { title: 'New' } } }] });
}

async function callSlides(google: Google, id: string): Promise<void> {
  const { slides = [] } = (await google('GET', `/v1/presentations/${id}`)).body;
  for (const { objectId } of slides) await google('GET', `/v1/presentations/${id}/pages/${objectId}`);
  for (const { objectId } of slides.slice(0, 1)) {
    await google('POST', `/v1/presentations/${id}:batchUpdate`, { requests: [{ deleteObject: { objectId } }] });
  }
}

/** The same of the bank, through the aggregator's own SDK. */
export async function callPlaidDirectly(steward: TestSteward): Promise<void> {
  const { bank } = steward.context.sandbox ?? {};
  if (bank === undefined) throw new Error('the service has no sandbox');
  const plaid = sdk(bank);
  const { access_token } = (await plaid.itemPublicTokenExchange({ public_token: await createPublicToken(steward) })).data;
  await linkDirectly(plaid);
  await callDeclared(steward, access_token);
  await plaid.institutionsGetById({ institution_id: 'ins_109508', country_codes: COUNTRIES });
  await plaid.itemGet({ access_token });
  await plaid.itemWebhookUpdate({ access_token, webhook: `${steward.url}/webhooks/bank` });
  await plaid.transactionsSync({ access_token, count: 500, options: { include_original_description: true } });
  await plaid.transactionsRefresh({ access_token });
  await plaid.sandboxItemFireWebhook({ access_token, webhook_code: 'SYNC_UPDATES_AVAILABLE' } as Parameters<
    PlaidApi['sandboxItemFireWebhook']
  >[0]);
  await plaid.sandboxItemResetLogin({ access_token });
  await plaid.itemGet({ access_token });
  await plaid.itemRemove({ access_token });
}

/** The SDK's enum of countries is closed. */
const COUNTRIES = ['US'] as Parameters<PlaidApi['institutionsGetById']>[0]['country_codes'];

const PERSON = { client_user_id: 'user-1', legal_name: 'Ada Example', phone_number: '+14155550123', email_address: 'ada@example.com' };

async function linkDirectly(plaid: PlaidApi): Promise<void> {
  const request = { client_name: 'Steward', language: 'en', country_codes: COUNTRIES, user: PERSON };
  const { link_token } = (await plaid.linkTokenCreate({ ...request, products: ['transactions'] as never })).data;
  await plaid.linkTokenGet({ link_token });
}
