import { allTabs, type DocBlock, type DocParagraph, type DocRun, type StoredDocument, textOf } from './docs-model.ts';

/** The content of each image: nothing but its size matters. */
const PICTURE = Buffer.alloc(12_000, 'a picture').toString('base64');
const IMAGE = /!\[[^\]]*\]\[image\]/g;

/** A document as Markdown: all tabs, one after the other, and the content of their images at the end, as references. */
export function markdownOf(document: StoredDocument): string {
  const tabs = allTabs(document.tabs);
  let images = 0;
  const text = tabs
    .map((tab) => tab.blocks.map(blockMarkdown).join('\n\n'))
    .join('\n\n')
    .replace(IMAGE, (image) => {
      images += 1;
      return image.replace('[image]', `[image${images}]`);
    });
  const references = Array.from({ length: images }, (_, index) => `[image${index + 1}]: <data:image/png;base64,${PICTURE}>`);
  return [text, ...references].join('\n\n');
}

function blockMarkdown(block: DocBlock): string {
  if (block.kind === 'paragraph') return paragraphMarkdown(block);
  if (block.kind === 'section') return '';
  if (block.kind === 'contents') return block.blocks.map(blockMarkdown).join('\n\n');
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
  if (object?.kind === 'image') return `![${object.description ?? ''}][image]`;
  if (object?.kind === 'rich link') return `[${object.title}](${object.uri})`;
  if (object !== undefined) return object.kind === 'person' ? object.name : '';
  const marked = style.bold ? `**${text}**` : style.italic ? `*${text}*` : text;
  return style.link === undefined ? marked : `[${marked}](${style.link})`;
}
