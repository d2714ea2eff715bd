// Runs before `npm start` and `npm test`, under any Node of the machine: installs the locked dependencies, with the pinned
// Node among them, when they are missing or older than the lock file. Plain JavaScript, which old Node versions run. A
// folder as argument: those of the package there.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';

const [folder] = process.argv.slice(2);
if (folder !== undefined) process.chdir(folder);

const installed = 'node_modules/.package-lock.json';
const pinnedNode = 'node_modules/.bin/node';
const lock = '.install.lock';
const WAIT_MS = 500;

function isCurrent() {
  const isComplete = existsSync(installed) && (folder !== undefined || existsSync(pinnedNode));
  return isComplete && statSync(installed).mtimeMs >= statSync('package-lock.json').mtimeMs;
}

function takeLock() {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}

/** Whether the process that holds the lock still runs; a killed one leaves its lock behind. */
function isHeld() {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Two installs at once, by `npm start` and `npm test` in two terminals, would break each other. */
function waitForLock() {
  for (let isLogged = false; !takeLock(); isLogged = true) {
    if (!isLogged) console.log('Another terminal is installing the dependencies; waiting for it to finish…');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    if (!isHeld()) rmSync(lock, { force: true });
  }
}

function install() {
  console.log('Installing dependencies (first start, or the lock file has changed)…');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // NODE_ENV=production would leave out the pinned Node, which is a development dependency.
  const { status } = spawnSync(npm, ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status === 0) return 0;
  console.error('The dependencies could not be installed; npm’s error is above. Can the npm registry be reached?');
  return status ?? 1;
}

if (!isCurrent()) {
  waitForLock();
  let status = 0;
  try {
    if (!isCurrent()) status = install();
  } finally {
    rmSync(lock, { force: true });
  }
  process.exitCode = status;
}
