import { Parser } from 'htmlparser2';
import type { HtmlTag } from './html-tags.ts';

/** The value of an attribute with its character references decoded; the first counts. undefined: there is none. */
export function attribute({ attributes }: Pick<HtmlTag, 'attributes'>, name: string): string | undefined {
  const [, value] = attributes.find(([one]) => one === name) ?? [];
  return value === undefined ? undefined : decoded(value);
}

/** Reads many attributes of a tag like {@link attribute}, however many it has. */
export function attributeReader({ attributes }: Pick<HtmlTag, 'attributes'>): (name: string) => string | undefined {
  let values: Map<string, string> | undefined;
  return (name) => {
    // Of attributes of one name, the first counts.
    values ??= new Map(attributes.toReversed());
    const value = values.get(name);
    return value === undefined ? undefined : decoded(value);
  };
}

/** With its character references replaced by what they stand for. */
export function decoded(value: string): string {
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
