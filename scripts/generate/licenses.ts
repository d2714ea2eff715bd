// Makes THIRD_PARTY_LICENSES.md: the third-party packages of the production image, with their licences.
// A licence that is not on the list below ends it; `--check` only compares.

import { installed, type LockedPackage, type LockFile, nameOf, readJson } from '../lock-file.ts';
import { writeGenerated } from './generated-file.ts';

/** SPDX identifiers that may be used in a service under Apache-2.0; MPL-2.0 as long as its files stay as they are. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
]);

/** Packages without an SPDX expression, by name and version: the licence of the file in them. */
const READ: Record<string, string> = {
  'limiter 1.1.5': 'MIT',
  'url-template 2.0.8': 'BSD-3-Clause',
};

interface Listed {
  name: string;
  version: string;
  license: string;
}

const listed = productionPackages(readJson<LockFile>('package-lock.json'));
const refused = listed.filter(({ license }) => !isAllowed(license));
for (const { name, version, license } of refused) console.error(`${name} ${version}: ${license} is not on the list of licences`);
if (refused.length > 0) process.exitCode = 1;
else writeGenerated('THIRD_PARTY_LICENSES.md', document(listed), 'scripts/generate/licenses.ts');

function productionPackages(lock: LockFile): Listed[] {
  const used = installed(lock).filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true);
  const byKey = new Map(used.map(([path, locked]) => [`${nameOf(path)} ${locked.version}`, describe(nameOf(path), locked)]));
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, each]) => each);
}

function describe(name: string, { version = '', license }: LockedPackage): Listed {
  return { name, version, license: READ[`${name} ${version}`] ?? license ?? 'unknown' };
}

/** SPDX expressions as they occur: one identifier, or a choice of which one must do (SPDX 2.3, annex D). */
function isAllowed(license: string): boolean {
  const choices = license.replace(/^\(|\)$/g, '').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((one) => ALLOWED.has(one)));
}

function document(packages: Listed[]): string {
  const counts = Map.groupBy(packages, ({ license }) => license);
  const summary = [...counts].sort((one, other) => other[1].length - one[1].length || (one[0] < other[0] ? -1 : 1));
  return `# Licences of third parties

What a production installation holds beside Steward itself: ${packages.length} packages. Each one's licence text lies in its folder below \`node_modules\`. Made by \`npm run licenses\`.

| Licence | Packages |
| ------- | -------- |
${summary.map(([license, of]) => `| ${license} | ${of.length} |`).join('\n')}

| Package | Version | Licence |
| ------- | ------- | ------- |
${packages.map(({ name, version, license }) => `| ${name} | ${version} | ${license} |`).join('\n')}
`;
}
