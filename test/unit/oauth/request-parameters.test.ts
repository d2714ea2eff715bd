import { describe, expect, it } from 'vitest';
import { sameResources } from '../../../src/oauth/request-parameters.ts';

const OWN = 'https://steward.example.com/mcp';

describe('a resource', () => {
  it.each([
    OWN,
    'HTTPS://steward.example.com/mcp',
    'https://STEWARD.Example.COM/mcp',
    'https://steward.example.com:443/mcp',
    'https://steward.example.com:/mcp',
    'https://steward.example.com:0443/mcp',
    'https://steward.example.com/%6dcp',
    'https://steward.example.com/%6D%63%70',
    'https://st%65ward.example.com/mcp',
    'https://steward.example.com/a/../mcp',
    'https://steward.example.com/%2e/mcp',
  ])('%s is the server’s own', (value) => {
    expect(sameResources([value], OWN)).toEqual([OWN]);
  });

  it.each([
    'http://steward.example.com/mcp',
    'http://steward.example.com:443/mcp',
    'https://steward.example.com:8443/mcp',
    'https://steward.example.com',
    'https://steward.example.com/MCP',
    'https://steward.example.com/mcp/',
    'https://steward.example.com//mcp',
    'https://steward.example.com/%2Fmcp',
    'https://steward.example.com/mcp?',
    'https://steward.example.com/mcp?a=b',
    'https://steward.example.com/mcp#',
    'https://steward.example.com/mcp%20',
    'https://user@steward.example.com/mcp',
    'https://steward.example.com./mcp',
    'https://steward.example.com.evil.example/mcp',
    'https://steward.example.com@evil.example/mcp',
    'https://evil.example/https://steward.example.com/mcp',
    'https:steward.example.com/mcp',
    'https:/steward.example.com/mcp',
    'https:\\\\steward.example.com\\mcp',
    'https://steward.example.com\\mcp',
    ' https://steward.example.com/mcp',
    'https://steward.example.com/mc\tp',
    'https://steward.example.com/ｍcp',
    '//steward.example.com/mcp',
    'urn:mcp',
    'https://',
    'https://[::1/mcp',
  ])('%j is another one, and stays as it is', (value) => {
    expect(sameResources([value], OWN)).toEqual([value]);
  });

  it('is named once, whatever the spellings, beside the others', () => {
    expect(sameResources(['', OWN, 'urn:mcp', 'https://Steward.example.com:443/mcp', 'urn:mcp'], OWN)).toEqual([OWN, 'urn:mcp']);
    expect(sameResources(['', ''], OWN)).toEqual([]);
  });

  it.each([
    ['http://[2001:DB8:0:0::1]:80/mcp', 'http://[2001:db8::1]/mcp'],
    ['HTTP://LOCALHOST:8080/mcp', 'http://localhost:8080/mcp'],
  ])('%s is %s', (value, own) => {
    expect(sameResources([value], own)).toEqual([own]);
  });
});
