// Posts alerts and waiting approvals to the operators' chat. Every request leaves through the SSRF guard, and
// none inside a transaction.

import type { Agent } from 'undici'
import { withTransaction } from '#db/transaction.ts'
import type { Sealer } from '#seal.ts'
import { createGuardedAgent, type Mode } from '#ssrf-guard.ts'
import { parseRetryAfter } from '#webhooks/retry-schedule.ts'
import { attemptDelivery } from '#webhooks/send.ts'
import type { Deps, Round } from '#workers/loop.ts'
import { claimPosts, findChatUrl, queuePosts, recordPost } from './posts.ts'

export type ChatDeps = Pick<Deps, 'db' | 'clock'> & {
  sealer: Sealer
  mode: Mode
  publicUrl: string
}

// Queues new posts and sends those that are due.
export function postToChatRound({ db, clock, sealer, mode, publicUrl }: ChatDeps): Round {
  const agent = createGuardedAgent({ mode })
  return async (signal) => {
    const url = await findChatUrl(db, sealer)
    if (url === undefined) return { more: false }
    const posts = await withTransaction(db, async (tx) => {
      await queuePosts(tx, clock(), { address: publicUrl })
      return claimPosts(tx, clock())
    })
    for (const post of posts) {
      if (signal.aborted) break // The claims of the remaining posts end by themselves.
      const result = await postToChat(agent, url, post.text)
      const retryAfterSeconds = parseRetryAfter(result.retryAfter, clock())
      await recordPost(db, clock(), { post, result, retryAfterSeconds })
    }
    return { more: posts.length > 0 && !signal.aborted }
  }
}

function postToChat(agent: Agent, url: string, text: string) {
  return attemptDelivery(agent, { url, headers: {}, body: JSON.stringify({ text }) })
}
