// A user who loses the role while an approval is waiting for a lock approves nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, findClient, grantedScopes } from '#access/permissions.ts'
import { lockApprover } from '#approvals/approvers.ts'
import { withTransaction } from '#db/transaction.ts'
import { newBrowser, userIdOf } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

for (const [change, code] of [
  ["role = 'support'", 'role_not_allowed'],
  ['is_active = false', 'session_needed'],
] as const) {
  test(`an approval that waited while ${change} is refused: ${code}`, async () => {
    await using bench = await startTestService()
    const { user } = await newBrowser(bench, 'finance')
    const userId = await userIdOf(bench, user.email)
    const client = (await findClient(bench.db, 'MAN0000001')) as Client
    const scopes = new Set(grantedScopes('finance', client))
    const approver = {
      client,
      actor: `user:${user.email}`,
      userId,
      scopes,
      newSince: bench.clock(),
    }
    await withTransaction(bench.db, (tx) => lockApprover(tx, approver))

    const { approving } = await withTransaction(bench.db, async (tx) => {
      await tx.query(`update users set ${change} where id = $1`, [userId])
      const approving = withTransaction(bench.db, (other) => lockApprover(other, approver))
      approving.catch(() => {}) // The approval may be refused before the test awaits it.
      await untilBlocked(bench.db, 1)
      return { approving }
    })

    await assert.rejects(approving, { code })
  })
}
