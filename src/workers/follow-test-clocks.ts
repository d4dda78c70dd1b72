// Refreshes the list of clients with a test clock, in every process of a sandbox.

import type { Queryable } from '#db/pool.ts'
import type { TestClocks } from '#domain/records/test-clocks.ts'
import type { Worker } from './loop.ts'

const FOLLOW_MS = 1_000

export async function followTestClocks(db: Queryable, testClocks: TestClocks): Promise<Worker> {
  await testClocks.refresh(db)
  const round = async () => {
    await testClocks.refresh(db)
    return { more: false }
  }
  return { name: 'follow-test-clocks', pauseMs: FOLLOW_MS, isDone: true, round }
}
