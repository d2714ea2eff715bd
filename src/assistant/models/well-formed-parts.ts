import type { LanguageModelMiddleware } from 'ai';
import { WellFormedPieces, wellFormed } from '../../validation/well-formed.ts';

export type Streamed = Awaited<ReturnType<NonNullable<LanguageModelMiddleware['wrapStream']>>>['stream'];
export type Part = Streamed extends ReadableStream<infer One> ? One : never;

/** The parts of a model's stream with well-formed texts. Some models write the halves of an emoji in two pieces. */
export class WellFormedParts {
  readonly #pieces = new WellFormedPieces();

  next(part: Part): Part[] {
    switch (part.type) {
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta': {
        const delta = this.#pieces.next(part.id, part.delta);
        return delta === '' && part.delta !== '' ? [] : [{ ...part, delta }];
      }
      case 'text-end':
        return this.#ended(part, 'text-delta');
      case 'reasoning-end':
        return this.#ended(part, 'reasoning-delta');
      case 'tool-input-end':
        return this.#ended(part, 'tool-input-delta');
      default:
        return [wellFormed(part)];
    }
  }

  #ended(part: Part & { id: string }, type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta'): Part[] {
    const delta = this.#pieces.end(part.id);
    return delta === '' ? [part] : [{ type, id: part.id, delta }, part];
  }
}
