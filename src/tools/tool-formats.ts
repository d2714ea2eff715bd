import { anthropicTools } from './anthropic-tools.ts';
import { geminiTools } from './gemini-tools.ts';
import { mcpTools } from './mcp-tools.ts';
import { openAiTools } from './openai-tools.ts';
import type { Tool, ToolFormat } from './tool.ts';

/** Tools in a vendor's form. @param strict with schemas for the vendor's strict mode, where there is one */
export function formatTools(tools: readonly Tool[], format: ToolFormat, strict: boolean): object[] {
  switch (format) {
    case 'mcp':
      return mcpTools(tools);
    case 'openai':
      return openAiTools(tools, strict);
    case 'anthropic':
      return anthropicTools(tools, strict);
    case 'gemini':
      return geminiTools(tools);
  }
}
