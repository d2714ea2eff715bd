import { excerpt } from './answers.ts';
import type { Intent } from './intent.ts';
import { findFile } from './lookups.ts';
import type { Plan, World } from './plans.ts';
import { numberIn } from './said-dates.ts';
import { unquoted } from './said-text.ts';
import { type Data, listOf, str } from './tool-results.ts';

const DOCUMENT = '(?:(?:the|my|our|this) )?doc(?:ument)?';
const SHEET = '(?:(?:the|my|our) )?(?:spreadsheet|sheet|table)';
const DECK = '(?:(?:the|my|our) )?(?:presentation|deck|slides)';

/** Documents, spreadsheets and presentations. */
export const documentIntents: readonly Intent[] = [
  {
    example: 'Create a document “Ideas”: One, two, three.',
    pattern:
      /^(?:create|write|make|start|begin)(?: me)? (?:a )?(?:new )?doc(?:ument)? (?:called |named |with the title )?(?<title>.+?)(?:(?: with the text|:) (?<text>[\s\S]+))?$/i,
    *plan({ title = '', text }, world) {
      const made = yield* world.run('documents_create', { title: unquoted(title), ...(text !== undefined && { text }) });
      return `I created the document “${str(made.title)}”: ${str(made.link)}`;
    },
  },
  {
    example: 'Append “Bring a coat.” to the document Offsite plan.',
    pattern: new RegExp(
      `^(?:append|add|write) (?:the (?:text|line|sentence) )?(?<text>["“][^"”]+["”]) to (?<document>${DOCUMENT}.*|it)$`,
      'i',
    ),
    plan: ({ text = '', document = '' }, world) => append(document, unquoted(text), world),
  },
  {
    example: 'Append to the document Meeting minutes: The date stays.',
    pattern: new RegExp(`^(?:append|add|write) to (?<document>${DOCUMENT}.*?|it): (?<text>[\\s\\S]+)$`, 'i'),
    plan: ({ text = '', document = '' }, world) => append(document, text, world),
  },
  {
    example: 'Replace “May” with “June” in the document Harbour brief.',
    pattern: new RegExp(
      `^(?:replace|change) (?<find>["“][^"”]+["”]) (?:with|by|to) (?<replace>["“][^"”]*["”]) in (?<document>${DOCUMENT}.*|it)$`,
      'i',
    ),
    *plan({ find = '', replace = '', document = '' }, world) {
      const { id, name } = yield* findFile(document, world, 'document');
      const { replaced } = yield* world.run('documents_replace', { id: str(id), find: unquoted(find), replace: unquoted(replace) });
      return `I replaced ${str(replaced)} occurrence(s) in “${str(name)}”.`;
    },
  },
  {
    example: 'Read the document Offsite plan.',
    pattern: new RegExp(`^(?:read|open|show(?: me)?|summari[sz]e|what is in|what does) (?<document>${DOCUMENT} .+?)(?: say)?$`, 'i'),
    *plan({ document = '' }, world) {
      return yield* readDocument(yield* findFile(document, world, 'document'), world);
    },
  },
  {
    example: 'Which tabs does the spreadsheet Household budget have?',
    pattern: new RegExp(
      `^(?:(?:which|what|show|list)(?: me)?(?: the)? (?:tabs|sheets) (?:does|of|in|are in|has) )(?<sheet>${SHEET}.*?|it)(?: have)?$`,
      'i',
    ),
    *plan({ sheet = '' }, world) {
      const { id } = yield* findFile(sheet, world, 'spreadsheet');
      const { title, tabs } = yield* world.run('spreadsheets_info', { id: str(id) });
      const names = listOf(tabs).map((tab) => `${str(tab.title)} (${str(tab.rows)} rows, ${str(tab.columns)} columns)`);
      return `“${str(title)}” has these tabs: ${names.join(', ')}.`;
    },
  },
  {
    example: 'Read the range A1:C5 of the spreadsheet Household budget.',
    pattern: new RegExp(
      `^(?:read|open|show(?: me)?|what is in|get)(?: (?:the )?(?:range|cells?) (?<range>["“][^"”]+["”]|\\S+) (?:of|in|from))? (?<sheet>${SHEET} .+)$`,
      'i',
    ),
    *plan({ range, sheet = '' }, world) {
      const { id, name } = yield* findFile(sheet, world, 'spreadsheet');
      const { ranges } = yield* world.run('spreadsheets_read', { id: str(id), ...(range !== undefined && { range: unquoted(range) }) });
      return [`“${str(name)}”:`, ...listOf(ranges).map(rangeText)].join('\n\n');
    },
  },
  {
    example: 'Show the slides of the presentation Quarterly review.',
    pattern: new RegExp(
      `^(?:read|open|show(?: me)?|what is (?:on|in)|summari[sz]e)(?: slides? (?<number>\\w+) of)?(?: the slides (?:of|in))? (?<deck>${DECK}\\b.*|(?<=slides (?:of|in) ).+)$`,
      'i',
    ),
    *plan({ number, deck = '' }, world) {
      const { id } = yield* findFile(deck.replace(/^(?:the )?slides (?:of|in) /i, ''), world, 'presentation');
      const only = number === undefined ? undefined : numberIn(number);
      const { title, slides } = yield* world.run('presentations_read', { id: str(id), ...(only !== undefined && { slides: [only] }) });
      const lines = listOf(slides).map((slide) => `${str(slide.number)}. ${str(slide.title)}: ${excerpt(slide.text)}`);
      return [`“${str(title)}”:`, ...lines].join('\n');
    },
  },
];

/** Reads a document. @param file as a search finds it */
export function* readDocument({ id }: Data, world: World): Plan {
  const { title, tabs } = yield* world.run('documents_read', { id: str(id) });
  const texts = listOf(tabs).map((tab) => excerpt(tab.text));
  return [`“${str(title)}” says:`, ...texts].join('\n\n');
}

function* append(phrase: string, text: string, world: World): Plan {
  const { id, name } = yield* findFile(phrase, world, 'document');
  yield* world.run('documents_append', { id: str(id), text });
  return `I appended the text to the document “${str(name)}”.`;
}

function rangeText({ range, rows }: Data): string {
  const lines = Array.isArray(rows) ? rows.map((row) => (Array.isArray(row) ? row.map((cell) => String(cell ?? '')).join(' | ') : '')) : [];
  return [str(range), ...lines.slice(0, 20)].join('\n');
}
