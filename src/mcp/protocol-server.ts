import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';

type Wrap = Server['_wrapHandler'];

/** The SDK's server, which says whose fault parameters of another form are. */
export class ProtocolServer extends Server {
  /** The SDK reports what its validator rejects as an internal error, in the validator's words (JSON-RPC 2.0, 5.1). */
  protected override _wrapHandler(method: string, handler: Parameters<Wrap>[1]): ReturnType<Wrap> {
    return super._wrapHandler(method, async (request, context) => {
      try {
        return await handler(request, context);
      } catch (error) {
        if (!isOfValidator(error)) throw error;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `The parameters of ${method} are not valid.`);
      }
    });
  }
}

/** Whether an error says nothing but a validator's list of problems. */
function isOfValidator(error: unknown): boolean {
  return error instanceof Error && error.constructor === Error && /^\[\s*\{/.test(error.message);
}
