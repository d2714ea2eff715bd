import { z } from 'zod';
import { check } from '../validation/validate.ts';
import type { ModelBudget, ModelSettings } from './config.ts';
import type { Problems } from './config-problems.ts';
import type { Variables } from './environment.ts';

const DEFAULT_CONTEXT_TOKENS = 128_000;
const STAND_IN_CONTEXT_TOKENS = 32_000;

/** Where each provider's key is, unless the model names another variable. */
const KEY_VARIABLES = {
  'openai-compatible': 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
} as const satisfies Record<ModelSettings['provider'], keyof Variables>;

/** Names of variables with the keys of models. Others are not read: no other secret can be sent to a model's provider. */
const KEY_VARIABLE = /^[A-Z][A-Z0-9_]*_API_KEY$/;

const price = z.number().min(0).optional();
const model = z.strictObject({
  name: z.string().min(1).max(100),
  provider: z.enum(['openai-compatible', 'anthropic', 'google']),
  model: z.string().min(1).max(200),
  baseUrl: z.string().optional(),
  contextTokens: z.int().min(1_000).default(DEFAULT_CONTEXT_TOKENS),
  inputPrice: price,
  outputPrice: price,
  apiKeyVariable: z.string().regex(KEY_VARIABLE, 'must be the name of a variable that ends in _API_KEY').optional(),
});
const models = z.array(model);

type DeclaredModel = z.output<typeof model>;

/** Whether a variable holds the key of a model. */
export function isModelKey(name: string): boolean {
  return KEY_VARIABLE.test(name);
}

/**
 * The models, the default one first; `sandbox`: its stand-in, if the sandbox is in use.
 *
 * @param given all variables that are set
 */
export function modelList(env: Variables, given: Record<string, string | undefined>, problems: Problems): ModelSettings[] | 'sandbox' {
  if (env.MODELS === undefined) return problems.production ? [] : 'sandbox';
  const declared = declaredModels(env.MODELS, problems);
  const names = declared.map(({ name }) => name);
  for (const name of new Set(names.filter((one, index) => names.indexOf(one) !== index))) problems.add('MODELS', `has two models ${name}`);
  return declared.map((one) => settingsOf(one, given, problems));
}

/** The stand-in of the sandbox. */
export function fakeModel(baseUrl: string): ModelSettings {
  const free = { inputPrice: undefined, outputPrice: undefined, apiKey: undefined };
  const named = { name: 'stand-in', model: 'stand-in', provider: 'openai-compatible' } as const;
  return { ...named, baseUrl, contextTokens: STAND_IN_CONTEXT_TOKENS, ...free, isStandIn: true };
}

export function modelBudget(env: Variables): ModelBudget {
  return {
    runs: env.MODEL_BUDGET_RUNS_PER_DAY,
    steps: env.MODEL_BUDGET_STEPS_PER_DAY,
    tokens: env.MODEL_BUDGET_TOKENS_PER_DAY,
    seconds: env.MODEL_BUDGET_SECONDS_PER_DAY,
    cost: env.MODEL_BUDGET_COST_PER_DAY,
  };
}

function declaredModels(text: string, problems: Problems): DeclaredModel[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which might contain a key.
    problems.add('MODELS', 'is not JSON');
    return [];
  }
  const checked = check(models, value);
  if ('value' in checked) return checked.value;
  problems.add('MODELS', checked.problem);
  return [];
}

function settingsOf(
  { apiKeyVariable, baseUrl, inputPrice, outputPrice, ...declared }: DeclaredModel,
  given: Record<string, string | undefined>,
  problems: Problems,
): ModelSettings {
  const { name, provider } = declared;
  const variable = apiKeyVariable ?? KEY_VARIABLES[provider];
  const apiKey = given[variable];
  // Local servers of the OpenAI-compatible kind need none.
  const needsKey = apiKeyVariable !== undefined || provider !== 'openai-compatible';
  if (needsKey && apiKey === undefined) problems.add(variable, `is missing: the model ${name} of MODELS needs it`);
  if (provider === 'openai-compatible' && baseUrl === undefined)
    problems.add('MODELS', `${name}: baseUrl is required for openai-compatible`);
  return { ...declared, baseUrl: problems.base('MODELS', baseUrl), inputPrice, outputPrice, apiKey };
}
