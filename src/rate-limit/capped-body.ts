/**
 * Reads a response body of at most `limit` bytes, counted after decoding: undici's `maxResponseSize` counts the bytes
 * received, so 48 kB of gzip could still become 50 MB.
 *
 * @param tooLarge makes the error for a longer body
 */
export async function readCapped(body: AsyncIterable<Uint8Array>, limit: number, tooLarge: () => Error): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
