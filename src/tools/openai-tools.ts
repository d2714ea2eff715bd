import { plainSchema, type StrictRules, strictSchema } from './json-schema.ts';
import { isClosed, type Tool } from './tool.ts';

/**
 * Keywords of strict function calling (developers.openai.com/api/docs/guides/structured-outputs, “Supported schemas”):
 * all bounds of numbers and lists; every object is closed and requires all of its properties.
 */
const STRICT: StrictRules = { accepts: () => true, acceptsDefault: false, requiresAll: true };

/**
 * Tools of OpenAI's Chat Completions API, which many others accept too (platform.openai.com/docs/api-reference/chat/create,
 * `tools`). A tool whose schema strict mode can't express has `strict: false`.
 */
export function openAiTools(tools: readonly Tool[], strict: boolean): object[] {
  return tools.map((tool) => ({ type: 'function', function: openAiFunction(tool, strict) }));
}

function openAiFunction({ name, description, input }: Tool, strict: boolean): object {
  if (!strict) return { name, description, parameters: plainSchema(input) };
  const isStrict = isClosed(input);
  return { name, description, parameters: isStrict ? strictSchema(input, STRICT) : plainSchema(input), strict: isStrict };
}
