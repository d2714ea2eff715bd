import type { TestSteward } from '../steward.ts';

/** Runs a test of what is counted by the day (UTC, by the database's clock): again, if it failed because a day began meanwhile. */
export async function withinOneDay({ sql }: Pick<TestSteward, 'sql'>, test: () => Promise<void>): Promise<void> {
  const today = async () => (await sql<{ day: string }>(`select (now() at time zone 'utc')::date::text as day`))[0]?.day;
  const begun = await today();
  try {
    await test();
  } catch (error) {
    if ((await today()) === begun) throw error;
    await test();
  }
}
