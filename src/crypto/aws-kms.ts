import type { KMSClient } from '@aws-sdk/client-kms';
import { type Clock, timeoutSignal } from '../clock/clock.ts';
import type { KeyServiceSettings } from '../config/config.ts';
import { regionOf } from '../config/master-key-list.ts';
import { AppError, unavailable } from '../errors.ts';
import type { ThrottledLog } from '../observability/throttled-log.ts';
import type { KeyService } from './kms-master-key.ts';

/** The failed operation, key and error name of the key service: the cause of an AppError. */
export class KeyServiceFault extends Error {}

/** Whether an error says that the key service is unavailable. */
export function isKeyServiceUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unavailable' && error.cause instanceof KeyServiceFault;
}

/** A request waits for the response, often with a transaction open. */
const TIMEOUT_MS = 3_000;
const ATTEMPTS = 5;

/** The record was altered, or belongs to another context or key (AWS KMS API reference, Decrypt, "Errors"). */
const DECRYPTION_ERRORS = new Set(['InvalidCiphertextException', 'IncorrectKeyException']);
/** Errors that last until an operator acts (AWS KMS API reference, Decrypt, "Errors", and "Common Errors"). */
const LASTING_ERRORS = new Set([
  'AccessDeniedException',
  'NotFoundException',
  'DisabledException',
  'KMSInvalidStateException',
  'InvalidKeyUsageException',
  'UnrecognizedClientException',
  'InvalidClientTokenId',
  'InvalidSignatureException',
  'SignatureDoesNotMatch',
  'ExpiredTokenException',
  'MissingAuthenticationToken',
  'CredentialsProviderError',
]);

type Sdk = typeof import('@aws-sdk/client-kms');

/** AWS KMS. The SDK is loaded when the first key is used, with a client for each region. */
export class AwsKms implements KeyService {
  readonly clock: Clock;
  readonly #settings: KeyServiceSettings;
  readonly #alarm: ThrottledLog;
  readonly #timeoutMs: number;
  readonly #clients = new Map<string, KMSClient>();

  /** @param timeoutMs for one operation, including the retries of throttled requests */
  constructor(settings: KeyServiceSettings, alarm: ThrottledLog, clock: Clock, timeoutMs = TIMEOUT_MS) {
    this.clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#settings = settings;
    this.#alarm = alarm;
  }

  /** API: Encrypt. */
  async encrypt(arn: string, plaintext: Buffer, context: Record<string, string>): Promise<Buffer> {
    return this.#send(arn, 'encrypt', async (client, sdk, options) => {
      const input = { KeyId: arn, Plaintext: plaintext, EncryptionContext: context };
      return (await client.send(new sdk.EncryptCommand(input), options)).CiphertextBlob;
    });
  }

  /** API: Decrypt. `KeyId` is required, so that no other key of the account is used. */
  async decrypt(arn: string, ciphertext: Buffer, context: Record<string, string>): Promise<Buffer> {
    return this.#send(arn, 'decrypt', async (client, sdk, options) => {
      const input = { KeyId: arn, CiphertextBlob: ciphertext, EncryptionContext: context };
      return (await client.send(new sdk.DecryptCommand(input), options)).Plaintext;
    });
  }

  async #send(
    arn: string,
    operation: string,
    send: (client: KMSClient, sdk: Sdk, options: { abortSignal: AbortSignal }) => Promise<Uint8Array | undefined>,
  ): Promise<Buffer> {
    const sdk = await import('@aws-sdk/client-kms');
    const client = this.#client(sdk, regionOf(arn));
    try {
      const response = await send(client, sdk, { abortSignal: timeoutSignal(this.clock, this.#timeoutMs) });
      if (response === undefined) throw new Error('a response without the value');
      return Buffer.from(response);
    } catch (error) {
      throw this.#translate(error, `${operation} with ${arn}`);
    }
  }

  #client(sdk: Sdk, region: string): KMSClient {
    const { endpoint, credentials } = this.#settings;
    const options = { region, maxAttempts: ATTEMPTS, ...(endpoint !== undefined && { endpoint }), ...(credentials && { credentials }) };
    const client = this.#clients.get(region) ?? new sdk.KMSClient(options);
    this.#clients.set(region, client);
    return client;
  }

  /** Keeps only the names of the SDK's errors, since these hold requests and responses. */
  #translate(error: unknown, operation: string): AppError {
    const name = error instanceof Error ? error.name : 'unknown error';
    if (DECRYPTION_ERRORS.has(name)) {
      return new AppError('internal', 'Stored data could not be read.', { cause: new KeyServiceFault(`${operation}: ${name}`) });
    }
    const fault = new KeyServiceFault(`${operation}: ${name === 'Error' ? String((error as { code?: unknown }).code ?? name) : name}`);
    if (LASTING_ERRORS.has(name))
      this.#alarm({ err: fault }, 'the key service rejects a master key: check its state, its policy and this server’s credentials');
    else this.#alarm({ err: fault }, 'the key service can’t be reached: users whose key isn’t in memory get 503');
    return unavailable('The key service can’t be used at the moment.', fault);
  }
}
