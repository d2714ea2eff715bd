import { allTabs, type DocBlock, type DocParagraph, type DocRun, type StoredDocument, textOf } from './docs-model.ts';

/** A document as Markdown: all tabs, one after the other. */
export function markdownOf(document: StoredDocument): string {
  const tabs = allTabs(document.tabs);
  return tabs.map((tab) => tab.blocks.map(blockMarkdown).join('\n\n')).join('\n\n');
}

function blockMarkdown(block: DocBlock): string {
  if (block.kind === 'paragraph') return paragraphMarkdown(block);
  const lines = block.rows.map((row) => `| ${row.map(cellMarkdown).join(' | ')} |`);
  const rule = `| ${(block.rows[0] ?? []).map(() => '---').join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

function cellMarkdown(blocks: DocBlock[]): string {
  return blocks
    .map((block) => (block.kind === 'paragraph' ? textOf(block) : ''))
    .join(' ')
    .replaceAll('|', '\\|');
}

function paragraphMarkdown(paragraph: DocParagraph): string {
  const text = paragraph.runs.map(runMarkdown).join('');
  const { bullet, style } = paragraph;
  if (bullet !== undefined) return `${'  '.repeat(bullet.level)}${bullet.list === 'numbers' ? '1.' : '*'} ${text}`;
  const level = /^HEADING_(\d)$/.exec(style)?.[1] ?? (style === 'TITLE' ? '1' : '0');
  return `${'#'.repeat(Number(level))}${level === '0' ? '' : ' '}${text}`;
}

function runMarkdown({ text, style, object }: DocRun): string {
  if (object !== undefined) return object.kind === 'person' ? object.name : '';
  const marked = style.bold ? `**${text}**` : style.italic ? `*${text}*` : text;
  return style.link === undefined ? marked : `[${marked}](${style.link})`;
}
