import { normalized } from '../css/css-values.ts';
import { appliesOnScreen } from '../css/media-queries.ts';
import { StyleSheets } from '../css/style-sheets.ts';
import { attribute } from './html-attributes.ts';
import { RAW } from './html-elements.ts';
import type { HtmlTag } from './html-tags.ts';
import type { OutlineReader } from './outline-reader.ts';

/** Gathers the style sheets of a source: they hold for all of it, wherever they are. */
export class StylesReader implements OutlineReader {
  readonly sheets = new StyleSheets();

  text(): void {}
  comment(): void {}
  open(): void {}
  close(): void {}

  takesRaw(name: string): boolean {
    return RAW.has(name);
  }

  raw(tag: HtmlTag, css: string): void {
    const type = (attribute(tag, 'type') ?? '').trim().toLowerCase();
    if (tag.name !== 'style' || (type !== '' && type !== 'text/css')) return;
    if (appliesOnScreen(normalized(attribute(tag, 'media') ?? ''))) this.sheets.add(css);
  }
}
