// Reads the mails that are queued for a user, and runs the worker that mails links for password resets.

import { answerResetRequestsRound } from '#access/workers.ts'
import { mailingOf } from './mailing.ts'
import type { Bench } from './running-service.ts'
import { sealingOf } from './sealing.ts'

type QueuedMail = { kind: string; state: string; facts: Record<string, string>; to: string }

// The mails to a user, oldest first. A mail has its facts until it is sent.
export async function mailsTo(bench: Bench, email: string): Promise<QueuedMail[]> {
  const { sealer } = sealingOf(bench)
  const { rows } = await bench.db.query<{
    kind: string
    state: string
    factsSealed: Buffer | null
    addressSealed: Buffer
  }>(
    `select m.kind, m.state, m.facts_sealed, m.address_sealed
       from messages m join users u on u.id = m.user_id where u.email = $1 order by m.id`,
    [email.toLowerCase()],
  )
  return rows.map(({ kind, state, factsSealed, addressSealed }) => ({
    kind,
    state,
    facts: factsSealed ? JSON.parse(sealer.open(factsSealed)) : {},
    to: sealer.open(addressSealed),
  }))
}

// The token of the last link that was mailed to the user.
export async function tokenMailedTo(bench: Bench, email: string): Promise<string> {
  const links = (await mailsTo(bench, email)).flatMap(({ facts: { link } }) => link ?? [])
  return links.at(-1)?.split('#')[1] ?? ''
}

// Runs the worker until all requests for password resets are answered.
export async function answerResets(bench: Bench): Promise<void> {
  const round = answerResetRequestsRound({ ...mailingOf(bench), mode: 'sandbox' })
  while ((await round(new AbortController().signal)).more);
}
