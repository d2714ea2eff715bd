import { type Account, fileIdOf } from '../workspace-accounts.ts';

export interface Presentation {
  id: string;
  title: string;
  modifiedTime: string;
  /** In the provider's format. */
  slides: SlidePage[];
}

export interface SlidePage {
  objectId: string;
  pageElements: object[];
  slideProperties: object;
}

export interface SlidesState {
  presentations: Presentation[];
}

/** The account's presentations as files of the drive. */
export function presentationFiles(account: Account): { id: string; name: string; modifiedTime: string }[] {
  return makePresentations(account).map(({ id, title, modifiedTime }) => ({ id, name: title, modifiedTime }));
}

/** Always the same for an account: one with every kind of content, one without slides. */
export function makePresentations(account: Account): Presentation[] {
  return [
    {
      id: fileIdOf(account, 'slides', 'review'),
      title: 'Quarterly review – Übersicht',
      modifiedTime: '2026-11-05T16:02:11.900Z',
      slides: reviewSlides(),
    },
    { id: fileIdOf(account, 'slides', 'blank'), title: 'Untitled presentation', modifiedTime: '2026-10-01T08:00:00.000Z', slides: [] },
  ];
}

function reviewSlides(): SlidePage[] {
  return [
    page(
      1,
      [placeholder('p1_t', 'CENTERED_TITLE', ['Quarterly review']), placeholder('p1_s', 'SUBTITLE', ['Übersicht für den Beirat 🚀'])],
      'Welcome everyone.\nKeep it under two minutes.',
    ),
    page(
      2,
      [
        placeholder('p2_t', 'TITLE', ['Results']),
        placeholder('p2_b', 'BODY', ['Revenue up 12%', ['Mostly from renewals'], 'Churn down to 1.9%'], true),
        shape('p2_x', ['Source: finance']),
        placeholder('p2_n', 'SLIDE_NUMBER', [{ auto: '2' }]),
      ],
      'Mention the one-off in March.',
    ),
    page(3, [
      placeholder('p3_t', 'TITLE', ['Regions']),
      table('p3_tab', [
        ['Region', 'Q1', 'Q2'],
        ['Nord', '1.2', '1.4'],
        ['Süd', '0.9', ''],
      ]),
    ]),
    page(4, [
      group('p4_g', [
        shape('p4_a', ['Plan']),
        group('p4_gg', [shape('p4_b', ['Build']), shape('p4_c', ['Ship\u000bit']), table('p4_tab', [['deep', 'cell']])]),
      ]),
      { objectId: 'p4_w', wordArt: { renderedText: 'Onwards' } },
    ]),
    page(5, [{ objectId: 'p5_i', title: 'Team photo', description: 'Six people in front of the Brandenburger Tor', image: image() }]),
    page(6, [placeholder('p6_t', 'TITLE', ['Backup numbers'])], 'Only if they ask.', { isSkipped: true }),
  ];
}

type Line = string | [string] | { auto: string };

function page(number: number, pageElements: object[], notes?: string, properties: object = {}): SlidePage {
  const objectId = `p${number}`;
  const notesId = `${objectId}_notes_body`;
  const notesPage = {
    objectId: `${objectId}_notes`,
    pageType: 'NOTES',
    notesProperties: { speakerNotesObjectId: notesId },
    pageElements: [
      { objectId: `${objectId}_notes_image`, shape: { shapeType: 'RECTANGLE', placeholder: { type: 'SLIDE_IMAGE' } } },
      // Without notes, the provider includes the shape without text.
      {
        objectId: notesId,
        shape: { shapeType: 'TEXT_BOX', placeholder: { type: 'BODY', index: 1 }, ...(notes !== undefined && text(notes.split('\n'))) },
      },
    ],
  };
  return { objectId, pageElements, slideProperties: { layoutObjectId: 'layout1', masterObjectId: 'master1', ...properties, notesPage } };
}

function placeholder(objectId: string, type: string, lines: Line[], bullets = false): object {
  return { ...frame(objectId), shape: { shapeType: 'TEXT_BOX', placeholder: { type }, ...text(lines, bullets) } };
}

function shape(objectId: string, lines: Line[]): object {
  return { ...frame(objectId), shape: { shapeType: 'TEXT_BOX', ...text(lines) } };
}

function group(objectId: string, children: object[]): object {
  return { ...frame(objectId), elementGroup: { children } };
}

function table(objectId: string, rows: string[][]): object {
  const tableRows = rows.map((cells, rowIndex) => ({
    rowHeight: { magnitude: 381_000, unit: 'EMU' },
    tableCells: cells.map((cell, columnIndex) => ({
      location: { rowIndex, columnIndex },
      rowSpan: 1,
      columnSpan: 1,
      // An empty cell has no text.
      ...(cell !== '' && text([cell])),
    })),
  }));
  return { ...frame(objectId), table: { rows: rows.length, columns: rows[0]?.length ?? 0, tableRows } };
}

function frame(objectId: string): object {
  return {
    objectId,
    size: { width: { magnitude: 3_000_000, unit: 'EMU' }, height: { magnitude: 3_000_000, unit: 'EMU' } },
    transform: { scaleX: 1, scaleY: 1, translateX: 311_700, translateY: 744_575, unit: 'EMU' },
  };
}

/** Paragraph markers and runs alternate, as in the provider's format; an array is a nested bullet. */
function text(lines: Line[], bullets = false): { text: object } {
  let index = 0;
  const textElements = lines.flatMap((line) => {
    const content = typeof line === 'string' ? `${line}\n` : Array.isArray(line) ? `${line[0]}\n` : line.auto;
    const [startIndex, endIndex] = [index, index + content.length];
    index = endIndex;
    const bullet = { listId: 'list1', glyph: '●', ...(Array.isArray(line) && { nestingLevel: 1 }) };
    const run =
      typeof line === 'object' && 'auto' in line ? { autoText: { type: 'SLIDE_NUMBER', content } } : { textRun: { content, style: {} } };
    return [
      { startIndex, endIndex, paragraphMarker: { style: {}, ...(bullets && { bullet }) } },
      { startIndex, endIndex, ...run },
    ];
  });
  return { text: { textElements } };
}

function image(): object {
  return { contentUrl: 'https://lh7-rt.example.com/slides/p5', imageProperties: {} };
}
