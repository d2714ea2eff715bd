import type { KMSClient } from '@aws-sdk/client-kms';
import type { KeyServiceSettings } from '../config/config.ts';
import { regionOf } from '../config/master-key-list.ts';
import { AppError } from '../errors.ts';
import type { ThrottledLog } from '../observability/throttled-log.ts';
import type { KeyService } from './kms-master-key.ts';

/** Why the key service could not be used; the cause of the AppError. Holds names only. */
export class KeyServiceFault extends Error {}

/** Whether it is the key service, and nothing else, that can't be used at the moment. */
export function isKeyServiceAway(error: unknown): boolean {
  return error instanceof AppError && error.code === 'unavailable' && error.cause instanceof KeyServiceFault;
}

/** Somebody waits for the answer, often with a transaction open. */
const TIMEOUT_MS = 3_000;
const ATTEMPTS = 5;
const RETRY_AFTER_SECONDS = 5;

/** The record was altered, belongs to another context, or to another key (AWS KMS API reference, Decrypt, "Errors"). */
const ALTERED = new Set(['InvalidCiphertextException', 'IncorrectKeyException']);
/** Faults that last until an operator does something (same place, and "Common Errors"). */
const REFUSED = new Set([
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

/** AWS KMS. The SDK is loaded when the first key is used, with a client for each region. */
export class AwsKms implements KeyService {
  readonly #settings: KeyServiceSettings;
  readonly #alarm: ThrottledLog;
  readonly #timeoutMs: number;
  readonly #clients = new Map<string, Promise<KMSClient>>();

  /** @param timeoutMs for everything that one wrap or unwrap takes, the retries of throttled calls among it */
  constructor(settings: KeyServiceSettings, alarm: ThrottledLog, timeoutMs = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
    this.#settings = settings;
    this.#alarm = alarm;
  }

  /** API: Encrypt. */
  async encrypt(arn: string, plaintext: Buffer, context: Record<string, string>): Promise<Buffer> {
    return this.#ask(arn, 'encrypt', async (client, sdk, options) => {
      const input = { KeyId: arn, Plaintext: plaintext, EncryptionContext: context };
      return (await client.send(new sdk.EncryptCommand(input), options)).CiphertextBlob;
    });
  }

  /** API: Decrypt. The key is named, so that no other key of the account would do. */
  async decrypt(arn: string, ciphertext: Buffer, context: Record<string, string>): Promise<Buffer> {
    return this.#ask(arn, 'decrypt', async (client, sdk, options) => {
      const input = { KeyId: arn, CiphertextBlob: ciphertext, EncryptionContext: context };
      return (await client.send(new sdk.DecryptCommand(input), options)).Plaintext;
    });
  }

  async #ask(
    arn: string,
    operation: string,
    send: (
      client: KMSClient,
      sdk: typeof import('@aws-sdk/client-kms'),
      options: { abortSignal: AbortSignal },
    ) => Promise<Uint8Array | undefined>,
  ): Promise<Buffer> {
    const sdk = await import('@aws-sdk/client-kms');
    const client = await this.#client(regionOf(arn));
    try {
      const answer = await send(client, sdk, { abortSignal: AbortSignal.timeout(this.#timeoutMs) });
      if (answer === undefined) throw new Error('an answer without the value');
      return Buffer.from(answer);
    } catch (error) {
      throw this.#translate(error, `${operation} with ${arn}`);
    }
  }

  #client(region: string): Promise<KMSClient> {
    const known = this.#clients.get(region);
    if (known !== undefined) return known;
    const { endpoint, credentials } = this.#settings;
    const client = import('@aws-sdk/client-kms').then(
      ({ KMSClient: Client }) =>
        new Client({
          region,
          maxAttempts: ATTEMPTS,
          ...(endpoint !== undefined && { endpoint }),
          ...(credentials !== undefined && { credentials }),
        }),
    );
    this.#clients.set(region, client);
    return client;
  }

  /** The SDK's errors carry requests and answers: only their names go on. */
  #translate(error: unknown, what: string): AppError {
    const name = error instanceof Error ? error.name : 'unknown error';
    if (ALTERED.has(name)) {
      return new AppError('internal', 'Stored data could not be read.', { cause: new KeyServiceFault(`${what}: ${name}`) });
    }
    const fault = new KeyServiceFault(`${what}: ${name === 'Error' ? String((error as { code?: unknown }).code ?? name) : name}`);
    if (REFUSED.has(name))
      this.#alarm({ err: fault }, 'the key service refuses a master key: check its state, its policy and this server’s credentials');
    else this.#alarm({ err: fault }, 'the key service can’t be reached: users whose key isn’t in memory get 503');
    return new AppError('unavailable', 'The key service can’t be used at the moment.', { cause: fault, retryAfter: RETRY_AFTER_SECONDS });
  }
}
