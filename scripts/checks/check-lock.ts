// Checks each package-lock.json: exact versions with checksums, from the registry, and no install script but those named.
import { installed, type LockFile, type Manifest, readJson } from '../lock-file.ts';
import { lockProblems } from './lock-rules.ts';

/** The service's packages, those of `npm run test:mcp`, and the generator of the HTTP client. */
const FOLDERS = ['', 'test/judges/', 'scripts/http-client/'];

const checked = FOLDERS.map((folder) => {
  const lock = readJson<LockFile>(`${folder}package-lock.json`);
  const problems = lockProblems(lock, readJson<Manifest>(`${folder}package.json`));
  return { count: installed(lock).length, problems: problems.map((problem) => `${folder}${problem}`) };
});
for (const problem of checked.flatMap(({ problems }) => problems)) console.error(problem);
if (checked.some(({ problems }) => problems.length > 0)) process.exit(1);
console.log(`${checked.map(({ count }) => count).join(', ')} packages: locked, with checksums, from the registry only.`);
