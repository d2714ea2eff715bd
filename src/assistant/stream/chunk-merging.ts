import type { UIMessageChunk } from 'ai';

type TextDelta = Extract<UIMessageChunk, { type: 'text-delta' | 'reasoning-delta' }>;

/** Joins consecutive deltas of the same part, which say the same as one. */
export class ChunkMerger {
  readonly #merged: UIMessageChunk[] = [];
  /** Texts of the last delta. */
  #open: { chunk: TextDelta; texts: string[] } | undefined;

  add(chunk: UIMessageChunk): void {
    if (!isPlainDelta(chunk)) {
      this.#close();
      this.#merged.push(chunk);
      return;
    }
    const { type, id } = this.#open?.chunk ?? {};
    if (this.#open !== undefined && type === chunk.type && id === chunk.id) {
      this.#open.texts.push(chunk.delta);
      return;
    }
    this.#close();
    this.#open = { chunk, texts: [chunk.delta] };
  }

  /** The chunks so far; begins again. */
  take(): UIMessageChunk[] {
    this.#close();
    return this.#merged.splice(0);
  }

  #close(): void {
    if (this.#open === undefined) return;
    this.#merged.push({ ...this.#open.chunk, delta: this.#open.texts.join('') });
    this.#open = undefined;
  }
}

/** The metadata of a delta belongs to its place in the text. */
function isPlainDelta(chunk: UIMessageChunk): chunk is TextDelta {
  return (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') && chunk.providerMetadata === undefined;
}
