import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS, FailoverSite } from '../faults/failover.ts';
import { Random } from '../faults/support/random.ts';
import type { Row } from '../faults/support/table.ts';
import { programsMissing } from '../support/processes/programs.ts';

describe.skipIf(programsMissing('postgresql', 'pgbouncer', 'haproxy', 'patroni', 'etcd-server'))('three nodes of the database', () => {
  let site: FailoverSite;

  beforeAll(async () => {
    site = await FailoverSite.open();
  });

  afterAll(async () => {
    await site?.close({ say: console.error });
  });

  // `npm run test:failover` also demotes the primary, pauses it and cuts it off, repeatedly, and compares the times.
  it('lose nothing that was acknowledged when the primary is killed', async () => {
    const fault = FAULTS.find(({ name }) => name === 'primary killed -9')!;
    const rows: Row[] = [];
    await site.round({ random: new Random(1), wants: () => true, report: (row) => rows.push(row) }, fault, Number.POSITIVE_INFINITY);
    expect(rows).toMatchObject([{ lost: [] }]);
    expect(rows[0]!.answered).toBeGreaterThan(0);
  });
});
