import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.ts';

const LOCAL = { name: 'local', provider: 'openai-compatible', model: 'm', baseUrl: 'http://127.0.0.1:11434/v1/' };
const KEY = 'sk-canary-1234';

function models(list: unknown, env: Record<string, string> = {}) {
  return loadConfig({ MODELS: typeof list === 'string' ? list : JSON.stringify(list), ...env }).models;
}

describe('MODELS', () => {
  it('is the sandbox’s stand-in in development, and may be none', () => {
    expect(loadConfig({}).models).toBe('sandbox');
    expect(models([])).toEqual([]);
  });

  it('has defaults, and the provider’s key', () => {
    expect(models([LOCAL])).toMatchObject([{ baseUrl: 'http://127.0.0.1:11434/v1', contextTokens: 128_000, apiKey: undefined }]);
    const list = [
      { name: 'a', provider: 'anthropic', model: 'x' },
      { ...LOCAL, apiKeyVariable: 'MY_API_KEY', inputPrice: 0.5 },
    ];
    const env: Record<string, string> = { MODELS: JSON.stringify(list), ANTHROPIC_API_KEY: 'k1', MY_API_KEY: KEY };
    expect(loadConfig(env).models).toMatchObject([{ apiKey: 'k1' }, { apiKey: KEY, inputPrice: 0.5 }]);
    // Later dumps of the environment don't contain them.
    expect(Object.keys(env)).toEqual(['MODELS']);
  });

  it.each([
    ['no JSON', `[{"name":"${KEY}"`, 'MODELS: is not JSON'],
    ['an unknown provider', [{ ...LOCAL, provider: 'other' }], 'MODELS: 0.provider'],
    ['an unknown field', [{ ...LOCAL, apiKey: KEY }], 'apiKey'],
    ['no address', [{ ...LOCAL, baseUrl: undefined }], 'local: baseUrl is required'],
    ['no http address', [{ ...LOCAL, baseUrl: 'file:///etc/passwd' }], 'MODELS: is not an http(s) address'],
    ['two of a name', [LOCAL, LOCAL], 'MODELS: has two models local'],
    ['no key', [{ name: 'a', provider: 'anthropic', model: 'x' }], 'ANTHROPIC_API_KEY: is missing: the model a'],
    ['a missing key of its own', [{ ...LOCAL, apiKeyVariable: 'MY_API_KEY' }], 'MY_API_KEY: is missing'],
    ['another secret as its key', [{ ...LOCAL, apiKeyVariable: 'MASTER_KEYS' }], 'ends in _API_KEY'],
  ])('rejects %s', (_name, list, problem) => {
    const failing = () => models(list);
    expect(failing).toThrow(problem);
    expect(failing).not.toThrow(KEY);
  });

  it('requires https in production, except on loopback', () => {
    const problems = (baseUrl: string) => {
      try {
        models([{ ...LOCAL, baseUrl }], { NODE_ENV: 'production' });
      } catch (error) {
        return String(error);
      }
      return '';
    };
    expect(problems('http://models.example.com/v1')).toContain('MODELS: must be https in production');
    expect(problems('http://127.0.0.1:11434/v1')).not.toContain('MODELS');
  });

  it('rejects budgets that are no amounts', () => {
    expect(loadConfig({ MODEL_BUDGET_COST_PER_DAY: '1.5', MODEL_BUDGET_RUNS_PER_DAY: '0' }).modelBudget).toMatchObject({
      cost: 1.5,
      runs: 0,
    });
    expect(() => loadConfig({ MODEL_BUDGET_STEPS_PER_DAY: '-1' })).toThrow('MODEL_BUDGET_STEPS_PER_DAY');
  });
});
