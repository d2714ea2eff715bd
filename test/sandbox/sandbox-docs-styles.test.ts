import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callGoogleSandbox, type GoogleCall } from '../support/emulators/google-sandbox.ts';
import { startSteward, type TestSteward } from '../support/steward.ts';

let steward: TestSteward;
let call: GoogleCall;
let document: string;

beforeAll(async () => {
  steward = await startSteward();
  call = await callGoogleSandbox(steward);
  const { files } = (await call(`/drive/v3/files?q=${encodeURIComponent("name = 'Harbour brief'")}`)).body;
  document = (await call(`/drive/v3/files/${files[0].id}/copy`, { json: {} })).body.id;
});

afterAll(() => steward.stop());

function update(...requests: object[]) {
  return call(`/v1/documents/${document}:batchUpdate`, { json: { requests } });
}

/** The last paragraph of the first tab: an item of the second level. */
async function lastElement(): Promise<any> {
  return (await call(`/v1/documents/${document}?includeTabsContent=true`)).body.tabs[0].documentTab.body.content.at(-1);
}

describe('styles in POST /v1/documents/:id:batchUpdate', () => {
  it('resets the fields of a mask that a style leaves out', async () => {
    const { startIndex, endIndex } = await lastElement();
    const style = async (textStyle: object, fields: string) => {
      const range = { startIndex, endIndex, tabId: 't.0' };
      expect((await update({ updateTextStyle: { range, textStyle, fields } })).status).toBe(200);
      return (await lastElement()).paragraph.elements[0].textRun.textStyle;
    };
    expect(await style({ bold: true, italic: true }, 'bold,italic')).toEqual({ bold: true, italic: true });
    expect(await style({ italic: true }, 'bold')).toEqual({ italic: true });
    expect(await style({}, '*')).toEqual({});
  });

  it('keeps the level of a removed bullet as an indentation, until that is reset', async () => {
    const { startIndex, endIndex } = await lastElement();
    const range = { startIndex, endIndex, tabId: 't.0' };
    await update({ deleteParagraphBullets: { range } });
    const { paragraph } = await lastElement();
    expect(paragraph).not.toHaveProperty('bullet');
    expect(paragraph.paragraphStyle).toMatchObject({ indentStart: { magnitude: 36, unit: 'PT' } });
    const paragraphStyle = { namedStyleType: 'HEADING_1' };
    await update({ updateParagraphStyle: { range, paragraphStyle, fields: 'namedStyleType,indentStart,indentFirstLine' } });
    expect((await lastElement()).paragraph.paragraphStyle).toEqual({ namedStyleType: 'HEADING_1', direction: 'LEFT_TO_RIGHT' });
  });

  const range = { startIndex: 1, endIndex: 3 };
  it.each([
    [{ updateTextStyle: { range, textStyle: {}, fields: '' } }],
    [{ updateTextStyle: { range, textStyle: {}, fields: 'namedStyleType' } }],
    [{ updateTextStyle: { range: { startIndex: 1, endIndex: 9_999 }, textStyle: {}, fields: '*' } }],
    [{ updateParagraphStyle: { range, paragraphStyle: {}, fields: 'headingId' } }],
    [{ updateParagraphStyle: { range, paragraphStyle: { namedStyleType: 'BODY' }, fields: 'namedStyleType' } }],
    [{ updateParagraphStyle: { range: { startIndex: 3, endIndex: 3 }, paragraphStyle: {}, fields: '*' } }],
    [{ deleteParagraphBullets: { range: { startIndex: 3, endIndex: 3 } } }],
  ])('rejects %j', async (request) => {
    expect((await update(request)).status).toBe(400);
  });
});
