import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts';

const ACCESS_KEY_ID = 'AKIDEXAMPLE';
const REGION = 'eu-central-1';
/** Headers that a request's signature must cover (AWS, "Signature Version 4"); the signature itself is not computed again. */
const SIGNED = new RegExp(
  `^AWS4-HMAC-SHA256 Credential=${ACCESS_KEY_ID}/\\d{8}/${REGION}/kms/aws4_request, SignedHeaders=[a-z0-9;-]*host[a-z0-9;-]*, Signature=[0-9a-f]{64}$`,
);

type Fault = 'throttled' | 'error 500' | 'hang' | 'cut' | { code: string };

/**
 * AWS KMS as far as the service uses it: Encrypt and Decrypt of symmetric keys over its JSON 1.1 protocol. Keys never
 * leave it, the encryption context is bound into what it returns.
 */
export class KeyServiceEmulator {
  #server: LoopbackServer | undefined;
  readonly #keys = new Map<string, Buffer>();
  /** Operations received, in order, with their encryption contexts. */
  readonly asked: { operation: string; context: Record<string, string> }[] = [];
  /** Faults of the next calls, each once; `always` is that of all of them. */
  readonly faults: Fault[] = [];
  always: Fault | undefined;
  /** Of temporary credentials. Requests without it are rejected. */
  sessionToken: string | undefined;
  /** Runs while the caller waits for the response. */
  meanwhile: () => Promise<void> = async () => {};
  url = '';

  static async start(): Promise<KeyServiceEmulator> {
    const emulator = new KeyServiceEmulator();
    emulator.#server = await startLoopbackServer((request, response) => void emulator.#answer(request, response));
    emulator.url = emulator.#server.url;
    return emulator;
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  get env(): Record<string, string> {
    return {
      AWS_ENDPOINT_URL_KMS: this.url,
      AWS_ACCESS_KEY_ID: ACCESS_KEY_ID,
      AWS_SECRET_ACCESS_KEY: 'example-secret-access-key',
      ...(this.sessionToken !== undefined && { AWS_SESSION_TOKEN: this.sessionToken }),
    };
  }

  /** Makes a key. @returns its ARN */
  createKey(): string {
    const arn = `arn:aws:kms:${REGION}:111122223333:key/${randomBytes(8).toString('hex')}`;
    this.#keys.set(arn, randomBytes(32));
    return arn;
  }

  count(operation: string): number {
    return this.asked.filter((one) => one.operation === operation).length;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [service, operation = ''] = String(request.headers['x-amz-target']).split('.');
    const body = (await json(request)) as Record<string, any>;
    this.asked.push({ operation, context: body.EncryptionContext ?? {} });
    await this.meanwhile();
    const fault = this.faults.shift() ?? this.always;
    if (fault === 'hang') return;
    if (fault === 'cut') return void response.destroy();
    if (fault === 'error 500') return fail(response, 500, 'KMSInternalException');
    if (fault === 'throttled') return fail(response, 400, 'ThrottlingException');
    if (fault !== undefined) return fail(response, 400, fault.code);
    if (request.method !== 'POST' || service !== 'TrentService' || request.headers['content-type'] !== 'application/x-amz-json-1.1')
      return fail(response, 400, 'UnknownOperationException');
    if (!SIGNED.test(request.headers.authorization ?? '')) return fail(response, 400, 'MissingAuthenticationToken');
    if (request.headers['x-amz-security-token'] !== this.sessionToken) return fail(response, 400, 'UnrecognizedClientException');
    const secret = this.#keys.get(body.KeyId);
    if (secret === undefined) return fail(response, 400, 'NotFoundException');
    if (operation === 'Encrypt')
      return send(response, 200, { KeyId: body.KeyId, CiphertextBlob: encrypt(secret, body).toString('base64') });
    if (operation !== 'Decrypt') return fail(response, 400, 'UnknownOperationException');
    const plain = decrypt(secret, body);
    if (plain === undefined) return fail(response, 400, 'InvalidCiphertextException');
    send(response, 200, { KeyId: body.KeyId, Plaintext: plain.toString('base64') });
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
}

function fail(response: ServerResponse, status: number, code: string): void {
  send(response, status, { __type: code, message: `Told to: ${code}.` });
}

function contextOf(body: Record<string, any>): Buffer {
  const sorted = Object.entries(body.EncryptionContext ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).update(body.KeyId).digest();
}

function encrypt(secret: Buffer, body: Record<string, any>): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', secret, nonce, { authTagLength: 16 }).setAAD(contextOf(body));
  return Buffer.concat([nonce, cipher.update(Buffer.from(body.Plaintext, 'base64')), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(secret: Buffer, body: Record<string, any>): Buffer | undefined {
  const blob = Buffer.from(body.CiphertextBlob, 'base64');
  if (blob.length < 28) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', secret, blob.subarray(0, 12), { authTagLength: 16 }).setAAD(contextOf(body));
  decipher.setAuthTag(blob.subarray(-16));
  try {
    return Buffer.concat([decipher.update(blob.subarray(12, -16)), decipher.final()]);
  } catch {
    return undefined;
  }
}
