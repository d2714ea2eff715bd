import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { programOf } from '../processes/debian-packages.ts';
import { Program } from '../processes/programs.ts';
import { eventually } from '../time/eventually.ts';
import { freePort } from './free-port.ts';

const DEPLOY = join(import.meta.dirname, '../../../deploy/haproxy');
const DOCUMENT = join(import.meta.dirname, '../../../docs/replicas.md');

/** A real HAProxy with the configuration of deploy/, on loopback, with a certificate of its own that this process trusts. */
export class Balancer {
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The certificate, PEM. */
  readonly certificate: string;
  readonly #folder: string;
  #program: Program | undefined;

  private constructor(folder: string, httpPort: number, httpsPort: number) {
    this.#folder = folder;
    this.httpPort = httpPort;
    this.httpsPort = httpsPort;
    makeCertificate(folder);
    this.certificate = readFileSync(join(folder, 'secrets/certificate.pem'), 'utf8');
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), this.certificate]);
  }

  /** Reserves its ports; {@link listen} starts it. */
  static async create(): Promise<Balancer> {
    const folder = mkdtempSync(join(tmpdir(), 'steward-balancer-'));
    return new Balancer(folder, await freePort(), await freePort());
  }

  get url(): string {
    return `https://127.0.0.1:${this.httpsPort}`;
  }

  /** Its log so far. */
  get output(): string {
    return this.#program?.output ?? '';
  }

  /** @param backend which of the two files names Steward's addresses, and its variables */
  async listen(backend: 'replicas' | 'single', variables: Record<string, string>): Promise<void> {
    const env = {
      HTTP_ADDRESS: `127.0.0.1:${this.httpPort}`,
      HTTPS_ADDRESS: `127.0.0.1:${this.httpsPort}`,
      CERTIFICATE: join(this.#folder, 'secrets/steward.pem'),
      ...variables,
    };
    this.#program = new Program(programOf('haproxy'), ['-db', '-f', join(DEPLOY, 'haproxy.cfg'), '-f', join(DEPLOY, `${backend}.cfg`)], {
      env,
    });
    await eventually(() => this.#accepts());
  }

  async remove(): Promise<void> {
    await this.#program?.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #accepts(): Promise<boolean> {
    if (this.#program?.running !== true) throw new Error(`HAProxy ended: ${this.output}`);
    return new Promise((resolve, reject) => {
      const socket = connect(this.httpsPort, '127.0.0.1', () => {
        socket.destroy();
        resolve(true);
      }).once('error', reject);
    });
  }
}

/** Made by the command in docs/replicas.md. */
function makeCertificate(folder: string): void {
  const [, command = ''] = /```sh\n(mkdir -p secrets\n[\s\S]*?)```/.exec(readFileSync(DOCUMENT, 'utf8')) ?? [];
  execFileSync('sh', ['-ec', command], { cwd: folder, stdio: 'ignore' });
}
