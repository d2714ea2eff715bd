import { Parser } from 'htmlparser2';
import type { HtmlTag } from './html-tags.ts';

/** The value of an attribute with its character references decoded; the first counts. undefined: there is none. */
export function attribute({ attributes }: Pick<HtmlTag, 'attributes'>, name: string): string | undefined {
  const [, value] = attributes.find(([one]) => one === name) ?? [];
  return value === undefined ? undefined : decoded(value);
}

function decoded(value: string): string {
  if (!value.includes('&')) return value;
  let result = '';
  const parser = new Parser({
    onattribute(_name, text) {
      result = text;
    },
  });
  parser.end(`<a b="${value.replaceAll('"', '&quot;')}">`);
  return result;
}
