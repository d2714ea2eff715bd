import { describe, expect, it } from 'vitest';
import { appendRequests, endOfTab } from '../../../src/actions/documents/document-appending.ts';

const paragraph = (content: string, more: object = {}) => ({ paragraph: { elements: [{ textRun: { content } }], ...more } });

describe('the end of a tab', () => {
  it('is where the response says that it is', () => {
    const content = [
      { endIndex: 1, sectionBreak: {} },
      { ...paragraph('Tasks\n'), startIndex: 1, endIndex: 9 },
    ];
    expect(endOfTab(content)).toEqual({ index: 8, isEmpty: false, isPlain: true });
  });

  it('is counted where the response doesn’t say it: an object, a table and its parts are one unit each', () => {
    expect(endOfTab([paragraph('Tasks\n'), paragraph('🌞\n')]).index).toBe(9);
    const image = { paragraph: { elements: [{ inlineObjectElement: {} }, { textRun: { content: '\n' } }] } };
    expect(endOfTab([image]).index).toBe(2);
    const table = { table: { tableRows: [{ tableCells: [{ content: [paragraph('A\n')] }, { content: [paragraph('\n')] }] }] } };
    // 1 for the start of the table, 1 for its row, 2 for its cells, 3 for their texts, 1 for its end.
    expect(endOfTab([table, paragraph('\n')]).index).toBe(9);
    expect(endOfTab([])).toEqual({ index: 1, isEmpty: true, isPlain: true });
  });

  it.each([
    ['a bullet', { bullet: { listId: 'l1' } }],
    ['a heading', { paragraphStyle: { namedStyleType: 'HEADING_2' } }],
    ['an indentation', { paragraphStyle: { namedStyleType: 'NORMAL_TEXT', indentStart: {} } }],
    ['a coloured line break', { elements: [{ textRun: { content: '\n', textStyle: { foregroundColor: {} } } }] }],
  ])('isn’t plain with %s', (_, more) => {
    expect(endOfTab([paragraph('\n', more)])).toMatchObject({ isEmpty: true, isPlain: false });
  });

  it.each([null, 1, {}, { paragraph: null }, { table: { tableRows: {} } }, { endIndex: 'x' }])('is found after %j', (element) => {
    expect(endOfTab([element]).index).toBeGreaterThanOrEqual(1);
  });
});

describe('appended text', () => {
  it('is given the ordinary style, and nothing before it', () => {
    const requests = appendRequests('t.0', { index: 15, isEmpty: false, isPlain: true }, 'Plain sentence.');
    const range = { tabId: 't.0', startIndex: 16, endIndex: 32 };
    expect(requests).toEqual([
      { insertText: { text: '\nPlain sentence.', endOfSegmentLocation: { tabId: 't.0' } } },
      { deleteParagraphBullets: { range } },
      {
        updateParagraphStyle: {
          range,
          paragraphStyle: { namedStyleType: 'NORMAL_TEXT' },
          fields: expect.stringMatching(/^namedStyleType,alignment,/),
        },
      },
      { updateTextStyle: { range, textStyle: {}, fields: '*' } },
    ]);
  });

  it('begins in an empty last line', () => {
    const [insert, bullets] = appendRequests('t.0', { index: 15, isEmpty: true, isPlain: false }, 'x');
    expect(insert).toMatchObject({ insertText: { text: 'x' } });
    expect(bullets).toEqual({ deleteParagraphBullets: { range: { tabId: 't.0', startIndex: 15, endIndex: 17 } } });
  });
});
