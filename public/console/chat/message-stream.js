/**
 * Builds the assistant's message from the chunks of its answer (UIMessageChunk of the AI SDK), as the SDK's reader does.
 * Chunks that nothing here shows, such as files and sources, are left out.
 */
export class MessageStream {
  /** @param message an earlier state that the chunks continue; default: an empty one, as for a replay */
  constructor(message) {
    this.message = message === undefined ? { id: undefined, role: 'assistant', parts: [], metadata: {} } : structuredClone(message);
    this.message.metadata ??= {};
    /** Why the answer ended early: the text of its last error. */
    this.error = undefined;
    this.aborted = false;
    this.#texts = new Map();
  }

  /** Text and reasoning that is not yet complete, by id. */
  #texts;

  add(chunk) {
    this.#metadata(chunk.messageMetadata);
    const handle = HANDLERS[chunk.type];
    if (handle !== undefined) handle(this, chunk);
  }

  /** @internal */
  push(part) {
    this.message.parts.push(part);
    return part;
  }

  /** @internal A part that grows. */
  begin(id, part) {
    this.#texts.set(id, this.push(part));
  }

  /** @internal */
  grow(id, delta) {
    const part = this.#texts.get(id);
    if (part !== undefined) part.text += delta;
  }

  /** @internal */
  end(id) {
    const part = this.#texts.get(id);
    if (part !== undefined) part.state = 'done';
    this.#texts.delete(id);
  }

  /** @internal */
  tool(toolCallId) {
    return this.message.parts.findLast((part) => part.toolCallId === toolCallId);
  }

  /** @internal The part of a call, made if it is new. */
  call({ toolCallId, toolName, dynamic }) {
    const known = this.tool(toolCallId);
    if (known !== undefined) return known;
    return this.push(dynamic ? { type: 'dynamic-tool', toolName, toolCallId } : { type: `tool-${toolName}`, toolCallId });
  }

  /** @internal */
  resetStep() {
    const start = this.message.parts.findLastIndex(({ type }) => type === 'step-start');
    this.message.parts.splice(start + 1);
    this.#texts.clear();
  }

  #metadata(metadata) {
    if (typeof metadata === 'object' && metadata !== null) this.message.metadata = { ...this.message.metadata, ...metadata };
  }
}

const change = (stream, { toolCallId }, state, more) => {
  const part = stream.tool(toolCallId);
  if (part !== undefined) Object.assign(part, { state }, more);
};

const HANDLERS = {
  start(stream, { messageId }) {
    if (messageId !== undefined) stream.message.id = messageId;
  },
  'start-step': (stream) => stream.push({ type: 'step-start' }),
  'reset-step': (stream) => stream.resetStep(),
  'text-start': (stream, { id }) => stream.begin(id, { type: 'text', text: '', state: 'streaming' }),
  'text-delta': (stream, { id, delta }) => stream.grow(id, delta),
  'text-end': (stream, { id }) => stream.end(id),
  'reasoning-start': (stream, { id }) => stream.begin(`reasoning ${id}`, { type: 'reasoning', text: '', state: 'streaming' }),
  'reasoning-delta': (stream, { id, delta }) => stream.grow(`reasoning ${id}`, delta),
  'reasoning-end': (stream, { id }) => stream.end(`reasoning ${id}`),
  'tool-input-start': (stream, chunk) => Object.assign(stream.call(chunk), { state: 'input-streaming' }),
  'tool-input-available': (stream, chunk) => Object.assign(stream.call(chunk), { state: 'input-available', input: chunk.input }),
  'tool-input-error'(stream, chunk) {
    Object.assign(stream.call(chunk), { state: 'output-error', input: chunk.input, errorText: chunk.errorText });
  },
  'tool-approval-request'(stream, chunk) {
    const { approvalId: id, approvalDescriptor: descriptor, reason: requestReason } = chunk;
    const more = { ...(descriptor !== undefined && { descriptor }), ...(requestReason !== undefined && { requestReason }) };
    change(stream, chunk, 'approval-requested', { approval: { id, ...more } });
  },
  'tool-approval-response'(stream, { approvalId, approved, reason }) {
    const part = stream.message.parts.find(({ approval }) => approval?.id === approvalId);
    if (part === undefined) return;
    part.state = 'approval-responded';
    part.approval = { ...part.approval, approved, ...(reason !== undefined && { reason }) };
  },
  'tool-output-available': (stream, chunk) => change(stream, chunk, 'output-available', { output: chunk.output }),
  'tool-output-error': (stream, chunk) => change(stream, chunk, 'output-error', { errorText: chunk.errorText }),
  'tool-output-denied': (stream, chunk) => change(stream, chunk, 'output-denied'),
  error(stream, { errorText }) {
    stream.error = errorText;
  },
  abort(stream) {
    stream.aborted = true;
  },
};
