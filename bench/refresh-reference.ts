// Reference of (e) and (f): posts the service's form with `fetch`, and commits the response to one row with a prepared statement.
import pg from 'pg';
import { runLanes } from './lanes.ts';
import type { RefreshOrder } from './refresh-process.ts';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? '', max: 10 });
const url = process.env.GOOGLE_TOKEN_URL ?? '';
const COMMIT = {
  name: 'commit',
  text: 'update bench_tokens set tokens = $2, expires_at = $3 where id = $1',
};
/** Row id → the next refresh token. */
const refreshTokens = new Map<string, string>();

async function refresh(id: string): Promise<void> {
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: refreshTokens.get(id) ?? id,
    client_id: 'bench',
    client_secret: 'bench',
  });
  const response = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(10_000) });
  const result = (await response.json()) as { access_token: string; refresh_token: string; expires_in: number };
  if (response.status !== 200) throw new Error(`the provider refused: ${response.status}`);
  refreshTokens.set(id, result.refresh_token);
  await pool.query({ ...COMMIT, values: [id, JSON.stringify(result), new Date(Date.now() + result.expires_in * 1000)] });
}

process.on('message', async ({ grants, lanes }: RefreshOrder) => {
  process.send?.(await runLanes(grants, lanes, refresh));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
