// Checks package-lock.json: exact versions with checksums, from the registry, and no install script but those named.
import { installed, type LockFile, type Manifest, readJson } from './lock-file.ts';
import { lockProblems } from './lock-rules.ts';

const lock = readJson<LockFile>('package-lock.json');
const problems = lockProblems(lock, readJson<Manifest>('package.json'));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`${installed(lock).length} packages: locked, with checksums, from the registry only.`);
