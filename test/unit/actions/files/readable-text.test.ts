import { describe, expect, it } from 'vitest';
import { readableText } from '../../../../src/actions/files/readable-text.ts';

const read = (text: string, mimeType = 'text/html') => readableText(Buffer.from(text), { mimeType });

describe('the text of a file', () => {
  it('is what a page displays', async () => {
    expect(await read('<p>okapi<p hidden>zebra')).toBe('okapi');
  });

  it('is the source of other markup', async () => {
    expect(await read('<a><b>okapi</b></a>', 'application/xml')).toBe('<a><b>okapi</b></a>');
  });

  it('is that of a page with large pictures in it', async () => {
    expect(await read(`<img src="data:image/png;base64,${'A'.repeat(3_000_000)}"><p>okapi`)).toBe('okapi');
  });

  it('says where a page is too long', async () => {
    const text = await read(`<p>okapi${' <b></b>'.repeat(300_000)}<p>zebra`);
    expect(text).toBe('okapi\n\n[The rest of this page is too long to show.]');
  });
});
