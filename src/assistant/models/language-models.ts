import type { LanguageModel } from 'ai';
import type { ModelSettings } from '../../config/config.ts';
import { modelRequest } from './model-request.ts';

type Model = Exclude<LanguageModel, string>;

/** The object of a configured model. Its provider's package is loaded with the first one. A name alone would go to a hosted gateway. */
export async function languageModel({ provider, model, baseUrl, apiKey }: ModelSettings): Promise<Model> {
  const address = baseUrl === undefined ? {} : { baseURL: baseUrl };
  const key = apiKey === undefined ? {} : { apiKey };
  const common = { ...key, fetch: modelRequest };
  switch (provider) {
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({ name: 'compatible', baseURL: baseUrl ?? '', includeUsage: true, ...common })(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ ...address, ...common })(model);
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
      return createGoogleGenerativeAI({ ...address, ...common })(model);
    }
  }
}
