// Runs before `npm start` and `npm test`, under whatever Node the machine has:
// installs the locked dependencies (the pinned Node among them) when they are
// missing or older than the lock file. Plain JavaScript for old Nodes' sake.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

const installed = 'node_modules/.package-lock.json';
const pinnedNode = 'node_modules/.bin/node';

const current = existsSync(installed) && existsSync(pinnedNode) && statSync(installed).mtimeMs >= statSync('package-lock.json').mtimeMs;

if (!current) {
  console.log('Installing dependencies (first start, or the lock file has changed)…');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // NODE_ENV=production would leave out the pinned Node, which is a development dependency.
  const { status } = spawnSync(npm, ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    console.error('The dependencies could not be installed; is the npm registry reachable?');
    process.exit(status ?? 1);
  }
}
