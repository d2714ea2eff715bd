import { LARGE_BYTES } from '../validation/json-scan.ts';

/** Two bytes; then, for longer payloads, two or eight with the length; then the mask (RFC 6455, 5.2). */
const HEADER_BYTES = 2;
const MASK_BYTES = 4;

/**
 * Unmasks large frames as their bytes arrive. ws unmasks a message once it is complete, in one turn of the event loop: a
 * millisecond for each megabyte. It leaves a frame alone whose mask is zero, as it is afterwards.
 */
export class LargeFrameUnmasker {
  /** Bytes of the header that have arrived. */
  #count = 0;
  #lengthEnd = HEADER_BYTES;
  #headerEnd = HEADER_BYTES;
  #length = 0;
  /** Least significant byte first. */
  #mask = 0;
  /** Bytes of the payload that have not arrived yet. */
  #left = 0;

  /** @param chunk what a client has sent, which is changed */
  unmask(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#left === 0) {
        this.#header(chunk, at);
        at += 1;
      } else at = this.#payload(chunk, at);
    }
  }

  #header(chunk: Buffer, at: number): void {
    const byte = chunk[at] as number;
    this.#count += 1;
    if (this.#count === 1) return;
    if (this.#count === HEADER_BYTES) {
      const length = byte & 0x7f;
      this.#length = length < 126 ? length : 0;
      this.#lengthEnd = HEADER_BYTES + (length < 126 ? 0 : length === 126 ? 2 : 8);
      this.#headerEnd = this.#lengthEnd + (byte < 0x80 ? 0 : MASK_BYTES);
      this.#mask = 0;
    } else if (this.#count <= this.#lengthEnd) this.#length = this.#length * 0x100 + byte;
    else {
      this.#mask |= byte << (8 * (this.#count - this.#lengthEnd - 1));
      if (this.#length > LARGE_BYTES) chunk[at] = 0;
    }
    if (this.#count < this.#headerEnd) return;
    this.#count = 0;
    this.#left = this.#length;
  }

  /** @returns the position after the payload, or after the chunk */
  #payload(chunk: Buffer, from: number): number {
    const end = Math.min(chunk.length, from + this.#left);
    if (this.#length > LARGE_BYTES) {
      const done = this.#length - this.#left;
      const mask = Uint8Array.from({ length: MASK_BYTES }, (_, index) => this.#mask >>> (8 * ((done + index) % MASK_BYTES)));
      exclusiveOr(chunk.subarray(from, end), mask);
    }
    this.#left -= end - from;
    return end;
  }
}

/** Four bytes at a time, where they are aligned. */
function exclusiveOr(bytes: Buffer, mask: Uint8Array): void {
  const lead = -bytes.byteOffset & 3;
  const count = Math.max(0, bytes.length - lead) >>> 2;
  for (let at = 0; at < Math.min(lead, bytes.length); at += 1) (bytes[at] as number) ^= mask[at] as number;
  if (count > 0) {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset + lead, count);
    const [word = 0] = new Int32Array(mask.map((_, index) => mask[(lead + index) & 3] as number).buffer);
    for (let at = 0; at < count; at += 1) (words[at] as number) ^= word;
  }
  for (let at = lead + 4 * count; at < bytes.length; at += 1) (bytes[at] as number) ^= mask[at & 3] as number;
}
