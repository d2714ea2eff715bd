import type { UIMessageChunk } from 'ai';
import { type ToolFailure, toolErrorText } from '../../tools/tool-error.ts';

/** A call of a tool that has no result yet. */
export interface OpenCall {
  toolCallId: string;
  toolName: string;
  /** Whether the model has finished its arguments. */
  isComplete: boolean;
}

/** The parts of a message that its chunks have begun and not ended. */
export class OpenParts {
  readonly #texts = new Map<string, 'text-end' | 'reasoning-end'>();
  readonly #calls = new Map<string, OpenCall>();

  add(chunk: UIMessageChunk): void {
    switch (chunk.type) {
      case 'text-start':
        this.#texts.set(chunk.id, 'text-end');
        break;
      case 'reasoning-start':
        this.#texts.set(chunk.id, 'reasoning-end');
        break;
      case 'text-end':
      case 'reasoning-end':
        this.#texts.delete(chunk.id);
        break;
      case 'tool-input-start':
      case 'tool-input-available': {
        const { toolCallId, toolName } = chunk;
        this.#calls.set(toolCallId, { toolCallId, toolName, isComplete: chunk.type === 'tool-input-available' });
        break;
      }
      case 'tool-input-error':
      case 'tool-output-available':
      case 'tool-output-error':
      case 'tool-output-denied':
      case 'tool-approval-request':
        this.#calls.delete(chunk.toolCallId);
        break;
      default:
    }
  }

  get calls(): readonly OpenCall[] {
    return [...this.#calls.values()];
  }

  /** Chunks that end the open texts. */
  endsOfTexts(): UIMessageChunk[] {
    return [...this.#texts].map(([id, type]) => ({ type, id }));
  }
}

/** A call ends without a result. */
export function failedCall({ toolCallId, toolName, isComplete }: OpenCall, failure: ToolFailure): UIMessageChunk {
  const errorText = toolErrorText(failure);
  // A call without complete arguments can't be told to a model again, so its part gets empty ones.
  if (!isComplete) return { type: 'tool-input-error', toolCallId, toolName, input: {}, errorText, dynamic: true };
  return { type: 'tool-output-error', toolCallId, errorText, dynamic: true };
}
