// The complete service of (e) and (f), with production settings; IPC names the grants whose access tokens it returns.
import { loadConfig } from '../src/config/load-config.ts';
import { startServer } from '../src/server.ts';
import { runLanes } from './lanes.ts';
import type { RefreshOrder } from './refresh-process.ts';

const steward = await startServer(loadConfig());
const { tokens } = steward.context;

process.on('message', async ({ userId = '', grants, lanes }: RefreshOrder) => {
  process.send?.(await runLanes(grants, lanes, (grantId) => tokens.current(userId, grantId)));
});
process.on('disconnect', () => void steward.stop().then(() => process.exit(0)));
process.send?.('ready');
