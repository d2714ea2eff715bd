// Makes sbom.cdx.json: a CycloneDX bill of materials of a production installation, from the lock file alone, so that
// the same lock file gives the same bytes. The file is checked against the format's schema before it is written.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Spec, Validation } from '@cyclonedx/cyclonedx-library';

const ROOT = join(import.meta.dirname, '..');
const FILE = join(ROOT, 'sbom.cdx.json');
/** How npm marks a package that only development needs. */
const DEVELOPMENT = 'cdx:npm:package:development';

interface Bom {
  specVersion: Spec.Version;
  serialNumber?: string;
  metadata: { timestamp?: string; tools?: object; component: { name: string } };
  components: { 'bom-ref': string; properties?: { name: string }[] }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

const text = `${JSON.stringify(reproducible(fromNpm()), null, 2)}\n`;
const problems = await new Validation.JsonStrictValidator((JSON.parse(text) as Bom).specVersion).validate(text);
if (problems !== null) {
  console.error('The bill of materials is not as CycloneDX has it:', problems);
  process.exit(1);
}
writeFileSync(FILE, text);
console.log(`sbom.cdx.json: ${(JSON.parse(text) as Bom).components.length} components.`);

function fromNpm(): Bom {
  const options = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const { status, stdout, stderr } = spawnSync('npm', options, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`npm sbom failed: ${stderr}`);
  return withoutDevelopment(JSON.parse(stdout) as Bom);
}

/** npm's own `--omit=dev` also omits what production and development share, such as express. */
function withoutDevelopment({ components, dependencies, ...bom }: Bom): Bom {
  const isDevelopment = ({ properties = [] }: Bom['components'][number]) => properties.some(({ name }) => name === DEVELOPMENT);
  const omitted = new Set(components.filter(isDevelopment).map((component) => component['bom-ref']));
  return {
    ...bom,
    components: components.filter((component) => !isDevelopment(component)),
    dependencies: dependencies
      .filter(({ ref }) => !omitted.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, ...(dependsOn && { dependsOn: dependsOn.filter((one) => !omitted.has(one)) }) })),
  };
}

/** Without what differs from run to run and from machine to machine. */
function reproducible(bom: Bom): Bom {
  const { timestamp: _timestamp, tools: _tools, component, ...metadata } = bom.metadata;
  // npm takes the folder's name.
  const same = { ...bom, metadata: { ...metadata, component: { ...component, name: 'steward' } } };
  same.components.sort((one, other) => compare(one['bom-ref'], other['bom-ref']));
  same.dependencies.sort((one, other) => compare(one.ref, other.ref));
  delete same.serialNumber;
  return { ...same, serialNumber: serialOf(JSON.stringify(same)) };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1;
}

/** A UUID derived from the content (RFC 9562, 5.8). */
function serialOf(content: string): string {
  const bytes = createHash('sha256').update(content).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `urn:uuid:${[hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')}`;
}
