import { describe, expect, it } from 'vitest';
import { htmlSource } from '../../../../src/actions/html/xhtml.ts';

describe('XHTML as HTML', () => {
  it.each([
    ['<script src="a>b.js"/>okapi', '<script src="a>b.js"></script>okapi'],
    ['<p\n  class="x"\n/>', '<p\n  class="x"\n></p>'],
    ['<x:a/>', '<x:a></x:a>'],
    ['<br/><img src="a/" /><hr />', '<br/><img src="a/" /><hr />'],
    ['<a href="x/">okapi</a>', '<a href="x/">okapi</a>'],
    ['1 < 2 /> 3', '1 < 2 /> 3'],
  ])('closes what has no content: %s', (source, html) => {
    expect(htmlSource(source, 'application/xhtml+xml')).toBe(html);
  });

  it('leaves HTML as it is', () => {
    expect(htmlSource('<p/>okapi', 'text/html')).toBe('<p/>okapi');
  });
});
