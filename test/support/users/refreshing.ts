import { FormBrowser } from '../browser/browser.ts';
import type { Change, WorkspaceEmulator } from '../emulators/workspace-emulator.ts';
import { newName, outcome } from '../scenes/flows.ts';
import type { Service } from '../steward.ts';

type Sql = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

/** A connected account, and the grant behind it. */
export interface ConnectedGrant {
  /** ID token of its user. */
  token: string;
  email: string;
  accountId: string;
  userId: string;
  grantId: string;
}

/** Connects an account of the emulated provider, for a new user or again. */
export async function connectGrant(
  service: Service,
  provider: WorkspaceEmulator,
  sql: Sql,
  of: { token?: string; email?: string; change?: Change } = {},
): Promise<ConnectedGrant> {
  const token = of.token ?? (await service.signIn(newName()));
  const email = of.email ?? `${newName()}@example.com`;
  const browser = new FormBrowser(service.url);
  const { body } = await browser.visit('/workspace_access_request', { token, form: { email } });
  const consentUrl = (await browser.visit(body.login_url)).headers.get('location') ?? '';
  const { account_id: accountId = '', ...rest } = outcome(await browser.visit(provider.approve(consentUrl, email, of.change)));
  if (accountId === '') throw new Error(`not connected: ${JSON.stringify(rest)}`);
  const [row] = await sql<{ userId: string; grantId: string }>(
    'select user_id as "userId", grant_id as "grantId" from workspace_accounts where id = $1',
    [accountId],
  );
  return { token, email, accountId, userId: row?.userId ?? '', grantId: row?.grantId ?? '' };
}

/** The state of a grant that tests check; times in seconds from now, by the database's clock. */
export interface GrantState {
  status: string;
  scopes: string[];
  version: number;
  failures: number;
  remaining: number;
  lease: number | null;
  pause: number | null;
}

export async function grantState(sql: Sql, { grantId }: Pick<ConnectedGrant, 'grantId'>): Promise<GrantState | undefined> {
  const rows = await sql<GrantState>(
    `select status, scopes, version, refresh_failures as failures,
       extract(epoch from expires_at - now())::float8 as remaining,
       extract(epoch from lease_until - now())::float8 as lease,
       extract(epoch from refresh_after - now())::float8 as pause
     from grants where id = $1`,
    [grantId],
  );
  return rows[0];
}

/** Moves the grant's times so that its access token expires in `seconds`; negative = it expired that long ago. */
export async function leave(sql: Sql, { grantId }: Pick<ConnectedGrant, 'grantId'>, seconds: number): Promise<void> {
  await sql(
    `update grants set expires_at = now() + make_interval(secs => $2::float8),
       updated_at = now() + make_interval(secs => $2::float8) - interval '1 hour' where id = $1`,
    [grantId, seconds],
  );
}

/** Makes the pause after a failure long enough for a slow machine. */
export async function lengthenPause(sql: Sql, { grantId }: Pick<ConnectedGrant, 'grantId'>): Promise<void> {
  await sql(`update grants set refresh_after = now() + interval '30 seconds' where id = $1`, [grantId]);
}

/** Ends the lease, or the pause after a failure, instead of waiting for it. */
export async function endWait(
  sql: Sql,
  { grantId }: Pick<ConnectedGrant, 'grantId'>,
  column: 'lease_until' | 'refresh_after',
): Promise<void> {
  await sql(`update grants set ${column} = now() - interval '1 second' where id = $1`, [grantId]);
}
