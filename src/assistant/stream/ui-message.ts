import { createUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';

/** The message that a front end has that has read these chunks. @throws when they contradict each other */
export async function messageOf(id: string, chunks: readonly UIMessageChunk[]): Promise<UIMessage> {
  // Complete arguments follow, and those read so far would be parsed with each piece.
  const read = mergedDeltas(chunks.filter(({ type }) => type !== 'tool-input-delta'));
  let message: UIMessage = { id, role: 'assistant', parts: [] };
  const failures: unknown[] = [];
  // An error chunk is a failure of the run, which the metadata tells, too.
  const onError = (error: unknown) => {
    failures.push(error);
    return '';
  };
  const stream = createUIMessageStream({
    // Unlike the readers of front ends, it makes no copy of the message for each chunk.
    execute: ({ writer }) => writer.merge(ReadableStream.from(read) as ReadableStream<UIMessageChunk>),
    onError,
    generateId: () => id,
    onEnd: ({ responseMessage }) => {
      message = responseMessage;
    },
  });
  for await (const _ of stream);
  const told = chunks.filter(({ type }) => type === 'error').length;
  if (failures.length > told) throw failures.at(-1);
  return message;
}

/** Joins consecutive deltas of the same part, which say the same as one. */
export function mergedDeltas(chunks: readonly UIMessageChunk[]): UIMessageChunk[] {
  const merged: UIMessageChunk[] = [];
  for (const chunk of chunks) {
    const last = merged.at(-1);
    if (last !== undefined && isPlainDelta(last) && isPlainDelta(chunk) && last.type === chunk.type && last.id === chunk.id) {
      merged[merged.length - 1] = { ...last, delta: last.delta + chunk.delta };
    } else merged.push(chunk);
  }
  return merged;
}

/** The metadata of a delta belongs to its place in the text. */
function isPlainDelta(chunk: UIMessageChunk): chunk is Extract<UIMessageChunk, { type: 'text-delta' | 'reasoning-delta' }> {
  return (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') && chunk.providerMetadata === undefined;
}

/** Chunks that rebuild a message's parts, for readers that begin with nothing. */
export function chunksOf({ parts }: Pick<UIMessage, 'parts'>): UIMessageChunk[] {
  return parts.flatMap((part, index): UIMessageChunk[] => {
    switch (part.type) {
      case 'step-start':
        return [{ type: 'start-step' }];
      case 'text':
      case 'reasoning':
        return textChunks(part.type, `part-${index}`, part);
      case 'dynamic-tool':
        return toolChunks(part);
      default:
        return [];
    }
  });
}

type TextPart = Extract<UIMessage['parts'][number], { type: 'text' | 'reasoning' }>;
type ToolPart = Extract<UIMessage['parts'][number], { type: 'dynamic-tool' }>;

function textChunks(type: 'text' | 'reasoning', id: string, { text, providerMetadata }: TextPart): UIMessageChunk[] {
  const metadata = providerMetadata && { providerMetadata };
  return [
    { type: `${type}-start`, id },
    { type: `${type}-delta`, id, delta: text },
    { type: `${type}-end`, id, ...metadata },
  ];
}

function toolChunks(part: ToolPart): UIMessageChunk[] {
  const { toolCallId, toolName, input, approval, callProviderMetadata } = part;
  const of = { toolCallId, dynamic: true } as const;
  const providerMetadata = callProviderMetadata && { providerMetadata: callProviderMetadata };
  const call: UIMessageChunk[] = [{ type: 'tool-input-available', ...of, toolName, input, ...providerMetadata }];
  if (approval !== undefined) {
    const {
      id: approvalId,
      descriptor,
      requestReason,
      approved,
    } = approval as typeof approval & {
      descriptor?: unknown;
      requestReason?: string;
    };
    const reason = requestReason === undefined ? {} : { reason: requestReason };
    call.push({ type: 'tool-approval-request', approvalId, toolCallId, approvalDescriptor: descriptor, ...reason });
    if (approved !== undefined) call.push({ type: 'tool-approval-response', approvalId, approved });
  }
  switch (part.state) {
    case 'output-available':
      return [...call, { type: 'tool-output-available', ...of, output: part.output }];
    case 'output-error':
      return [...call, { type: 'tool-output-error', ...of, errorText: part.errorText }];
    case 'output-denied':
      return [...call, { type: 'tool-output-denied', toolCallId }];
    default:
      return call;
  }
}
