// The checker of `npm run torture` compares the books with the testimony: what the load and the receivers
// recorded. On a small, correct world it finds nothing, and it names each fault planted in either.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { checkBooks, openBooks } from '../../torture/checker/check.ts'
import { Testimony } from '../../torture/checker/testimony.ts'
import type { Entry } from '../../torture/witness.ts'
import { closeAfterTests } from '../support/closing.ts'
import { witnessSmallWorld } from '../support/witnessed-world.ts'

const world = closeAfterTests(await witnessSmallWorld())
const { entries, keys, references } = world

// Runs the checker on this testimony, after changing the books with the SQL in `plant`. `isFinal`: automatic
// work has had enough time to finish. `isLossy`: acknowledged work may be lost, because an asynchronous
// standby was promoted.
async function findings(
  spoilt: readonly Entry[],
  plant = '',
  isFinal = true,
  isLossy = false,
): Promise<string[]> {
  const testimony = new Testimony()
  for (const entry of spoilt) testimony.add(entry)
  const books: pg.Client = openBooks(world.connectionString)
  await books.connect()
  try {
    // The change is made without triggers, and rolled back when the connection ends.
    await books.query(`begin; set local session_replication_role = replica; ${plant}`)
    return await checkBooks(books, { testimony, isFinal, isLossy })
  } finally {
    await books.end()
  }
}

test('books that are right are found right', async () => {
  assert.deepEqual(await findings(entries), [])
})

const { credit, reversal, account, advice, payment, payout, refused, hold } = keys
const CREDIT = `(select id from credits where session_id = '${credit}')`
const PAYOUT = `(select id from payouts where narration = '${payout}')`

const OPEN_PAYOUT = `update payouts set bank_reference = null, settled_at = null, settled_by = null`
// An active hold gets a larger amount, and its account money that the hold does not take.
const LACKING_HOLD = `
  update ledger_accounts set credits_kobo = credits_kobo + 1
   where id = (select account_id from holds where state = 'active');
  update holds set amount_kobo = amount_kobo + 1 where state = 'active'`

// Each row is a change to the books and the finding that the checker must report.
const PLANTED: readonly (readonly [string, RegExp])[] = [
  [
    `delete from credits where session_id = '${credit}'`,
    /credit .* acknowledged and does not exist/,
  ],
  [`update credits set session_id = 'made-up' where id = ${CREDIT}`, /made-up exists and nobody/],
  [`update credits set amount_kobo = amount_kobo + 1 where id = ${CREDIT}`, /the amount of credit/],
  [`update credits set account_number = '1' where id = ${CREDIT}`, /the number of credit/],
  [
    `insert into credits (id, bank_code, session_id, account_number, amount_kobo, currency, outcome,
       received_at, identified_by)
     select 0, bank_code, session_id, account_number, amount_kobo, currency, outcome, received_at,
            identified_by from credits where id = ${CREDIT}`,
    /credit .* exists 2 times/,
  ],
  [`delete from credit_identifiers where credit_id = ${CREDIT}`, /could be taken again/],
  [`delete from transfers where credit_id = ${CREDIT}`, /what transfers moved for credit/],
  [
    `update transfers set amount_kobo = 1 where credit_id = ${CREDIT}`,
    /the debits of ledger account/,
  ],
  [
    `update ledger_accounts set credits_kobo = credits_kobo + 1 where kind = 'collection'`,
    /all debits/,
  ],
  [
    `update ledger_accounts set credits_kobo = credits_kobo + 1 where kind = 'collection'`,
    /the credits of/,
  ],
  [
    `update transfers set credit_account_id = 0 where credit_id = ${CREDIT}`,
    /joins no two accounts/,
  ],
  [`delete from reversals where session_id = '${reversal}'`, /reversal .* does not exist/],
  [`update reversals set amount_kobo = 1`, /what banks hold/],
  [`update reversals set amount_kobo = 1`, /what transfers moved for credit/],
  [
    `delete from collection_accounts where account_name = '${account}'`,
    /account .* does not exist/,
  ],
  [`update collection_accounts set account_number = '1'`, /the number of account/],
  [`update collection_accounts set is_active = false`, /is closed and nobody wanted it/],
  [`delete from numbers where collection_account_id is not null`, /does not own its number/],
  [
    `update payment_numbers set account_number = (select min(account_number) from collection_accounts)`,
    /has 2 owners/,
  ],
  [`delete from advices where merchant_ref = '${advice}'`, /advice .* does not exist/],
  [`update payments set amount_paid_kobo = 0, status = 'Processing'`, /what is paid of payment/],
  [`delete from payment_numbers`, new RegExp(`the number of ${payment}`)],
  [`delete from payouts where id = ${PAYOUT}`, /payout .* does not exist/],
  [
    `update payouts set status = 'failed', bank_reference = null, failure_reason = 'x'
      where id = ${PAYOUT}`,
    /the bank paid .* which is failed/,
  ],
  [`update payouts set amount_kobo = 1 where id = ${PAYOUT}`, /what the bank paid for/],
  [`update payouts set reference = 'x' where id = ${PAYOUT}`, /which does not exist/],
  [`delete from transfers where payout_id = ${PAYOUT}`, /what left the bank for payout/],
  [`update payouts set narration = '${refused}' where id = ${PAYOUT}`, /was refused and exists/],
  [
    `delete from events where facts->>'reference' = '${references.payout}'`,
    /payout.confirmed events of .* is 0/,
  ],
  [
    `update payouts set amount_kobo = 70000 where purpose = 'refund'`,
    /70000 is refunded of payment/,
  ],
  [`delete from events where type = 'payment.refunded'`, /^refunded events of refund-/m],
  [`update suspense_items set amount_kobo = 1`, /what is in suspense/],
  [`update settlement_lines set other_kobo = other_kobo + 1`, /the lines of settlement/],
  [`delete from events where type = 'settlement.closed'`, /settlement.closed events of/],
  [`update settlements set reference = 'x'`, /the client of settlement-/],
  [`delete from payouts where purpose = 'settlement'`, /the payouts of settlement/],
  [
    `insert into settlements (reference, client_id, previous_id, currency, status, cut_off, to_id,
       next_from_id, needs_approval, closed_by, closed_at)
     select 'y', client_id, id, currency, 'closed', cut_off, to_id, next_from_id, false, closed_by,
            closed_at from settlements`,
    /has 2 settlements and wanted 1/,
  ],
  [`delete from holds where reason = '${hold}'`, /hold .* acknowledged and does not exist/],
  [`update holds set reason = 'made-up'`, /made-up exists and nobody/],
  [`update holds set amount_kobo = 9000`, /the amount of hold/],
  [`update holds set held_kobo = 4999 where state = 'active'`, /what hold .* holds/],
  [`update holds set held_kobo = 4999 where state = 'active'`, /what is held is 5000/],
  [`update holds set state = 'active', ended_at = null`, /the state of hold .* is active/],
  [`update transfers set reason = 'forfeiture' where reason = 'hold_release'`, /0 was agreed/],
  [`update transfers set amount_kobo = 6000 where reason = 'hold_release'`, /gave out 1000 more/],
  [
    `update transfers set credit_account_id = (select min(id) from ledger_accounts
                                                where kind <> 'collection')
      where reason = 'hold_release'`,
    /what hold .* gave back to .* is 0, and should be 5000/,
  ],
  [`update hold_requests set decided_by = 'user:nobody'`, /was approved by nobody/],
  [`update hold_requests set kind = 'forfeiture'`, /the kind of what hold_approval-.* approved/],
  [`delete from hold_requests`, /the state of what hold_approval-.* approved is undefined/],
  [
    `update transfers set hold_id = null, credit_id = ${CREDIT}
      where reason = 'hold' and hold_id = (select id from holds where state = 'active')`,
    /held money without a hold is 1/,
  ],
  [LACKING_HOLD, /hold .* lacks money while account/],
  [
    `update holds set amount_kobo = null where state = 'active';
     insert into transfers (debit_account_id, credit_account_id, amount_kobo, reason, posted_at, payout_id)
     select h.account_id, (select min(id) from ledger_accounts where kind = 'paying'), 7, 'payout',
            h.placed_at, ${PAYOUT} from holds h where h.state = 'active'`,
    /payout \d+ took 7 from account \d+ under hold/,
  ],
  [
    `${OPEN_PAYOUT}, status = 'queued', sending_at = null, send_after = now() + interval '2 hours'
      where id = ${PAYOUT}`,
    /the sending of payout .* waits until/,
  ],
  [
    `${OPEN_PAYOUT}, status = 'unknown', next_query_at = now() + interval '2 hours'
      where id = ${PAYOUT}`,
    /the query of payout .* waits until/,
  ],
  [
    `update deliveries set state = 'pending', leased_until = now() + interval '2 hours'`,
    /the lease of delivery .* waits until/,
  ],
  [
    `insert into requeries (bank_code, reason, subject, from_at, to_at, due_at, created_at)
     values ('035', 'sweep', 's', now(), now(), now() - interval '1 hour', now())`,
    /requery \d+ was due at .* and its bank is not asked/,
  ],
  [
    `insert into requeries (bank_code, reason, subject, from_at, to_at, due_at, leased_until, created_at)
     values ('035', 'sweep', 's', now(), now(), now(), now() + interval '2 hours', now())`,
    /the lease of requery \d+ waits until/,
  ],
  [
    `insert into chat_posts (subject, text, created_at, next_attempt_at)
     values ('s', 't', now(), now() + interval '1 day')`,
    /the chat post \d+ waits until/,
  ],
  [
    `insert into messages (reference, client_id, key, channel, kind, priority, waits_for_day, facts_sealed,
       address_sealed, state, next_attempt_at, claimed_until, expires_at, created_at)
     select 'm', id, 'k', 'email', 'test', 1, false, '', '', 'sending', now(),
            now() + interval '2 hours', now(), now() from clients limit 1`,
    /the message \d+ waits until/,
  ],
  [`delete from events where type = 'hold.placed'`, /hold.placed events of/],
  [`delete from events where sequence = 2`, /events of MAN0000001: \d+ kept/],
  [`update events set sequence = 1 where sequence = 2`, /events of MAN0000001/],
  [`delete from events where credit_id = ${CREDIT}`, /credit .* has no event/],
  [`update events set type = 'account.activated' where sequence = 2`, /differs from its event/],
]

for (const [plant, words] of PLANTED) {
  test(`the checker finds: ${plant.replace(/\s+/g, ' ').slice(0, 90)} (${words.source})`, async () => {
    assert.match((await findings(entries, plant)).join('\n'), words)
  })
}

const isWebhook = ({ kind }: Entry) => kind === 'webhook'
const isPaid = ({ kind }: Entry) => kind === 'paid'
const isNotification = (entry: Entry) =>
  entry.kind === 'webhook' && entry.path.includes('/notification/')
const cancelling = (operation: 'payout_cancellation' | 'refund_cancellation', reference: string) =>
  [
    { kind: 'wanted', operation, key: 'cancelling', terms: { reference } },
    { kind: 'acknowledged', call: 0, key: 'cancelling', result: {} },
  ] satisfies Entry[]
const without = (isGone: (entry: Entry) => boolean) => entries.filter((entry) => !isGone(entry))
const twice = (isDoubled: (entry: Entry) => boolean) =>
  entries.flatMap((entry) => (isDoubled(entry) ? [entry, entry] : [entry]))
const changed = (isSpoilt: (entry: Entry) => boolean, change: object) =>
  entries.map((entry) => (isSpoilt(entry) ? ({ ...entry, ...change } as Entry) : entry))
const isAnswer = (key: string) => (entry: Entry) =>
  entry.kind === 'acknowledged' && entry.key === key

// Each row is a name, a changed testimony and the finding that the checker must report.
const WITNESSED: readonly (readonly [string, readonly Entry[], RegExp])[] = [
  ['a webhook that never came', without(isWebhook), /marked as delivered, and never came/],
  ['a webhook with a wrong signature', changed(isWebhook, { isGenuine: false }), /wrong signature/],
  ['a webhook of no event', changed(isWebhook, { id: 'x' }), /an event that does not exist/],
  [
    'a notification that never came to its own URL',
    without(isNotification),
    /to its notification URL is marked as delivered, and never came/,
  ],
  [
    'a payout that was cancelled and paid',
    [...entries, ...cancelling('payout_cancellation', references.payout)],
    /was cancelled and is confirmed/,
  ],
  [
    'a refund that was cancelled and paid',
    [...entries, ...cancelling('refund_cancellation', references.refund)],
    /was cancelled and is not/,
  ],
  ['a payout that the bank paid twice', twice(isPaid), /the bank paid .* 2 times/],
  ['an order given twice', twice(({ kind }) => kind === 'ordered'), /told 2 times to pay/],
  ['a payout that the bank never paid', without(isPaid), /is confirmed and the bank did not pay/],
  [
    'a number given to two',
    changed(isAnswer(payment), { result: { accountNumber: world.accountNumber } }),
    /was given to .* and /,
  ],
  [
    'two answers to one key',
    [...entries, { kind: 'acknowledged', call: 0, key: account, result: { accountNumber: '1' } }],
    /was answered with .* and 1/,
  ],
  [
    'an account that was closed',
    [
      ...entries,
      {
        ...{ kind: 'wanted', operation: 'deactivation', key: 'closing' },
        terms: { accountNumber: world.accountNumber },
      } as Entry,
      { kind: 'acknowledged', call: 0, key: 'closing', result: {} },
    ],
    /was closed and is active/,
  ],
]

for (const [name, spoilt, words] of WITNESSED) {
  test(`the checker finds ${name}`, async () => {
    assert.match((await findings(spoilt)).join('\n'), words)
  })
}

test('a payout that failed although the bank did not refuse it', async () => {
  const plant = `update payouts set status = 'failed', bank_reference = null, failure_reason = 'x'
                  where id = ${PAYOUT}`
  const incomplete = without(isPaid)
  const refusal: Entry = {
    kind: 'refused_by_bank',
    at: 0,
    reference: references.payout,
    amount: '1',
  }

  assert.match((await findings(incomplete, plant)).join('\n'), /the bank did not refuse it/)
  assert.doesNotMatch(
    (await findings([...incomplete, refusal], plant)).join('\n'),
    /did not refuse it/,
  )
})

test('after a loss only payouts sent twice and books wrong in themselves are findings', async () => {
  const plant = `delete from payouts where id = ${PAYOUT}; delete from events; delete from credits`
  const twiceTold = twice(({ kind }) => kind === 'ordered')

  assert.match((await findings(twiceTold, plant, true, true)).join('\n'), /told 2 times to pay/)
  assert.doesNotMatch((await findings(entries, plant, true, true)).join('\n'), /does not exist/)
})

test('a request without an answer may have happened or not', async () => {
  const calls: Entry[] = [
    {
      kind: 'wanted',
      operation: 'credit',
      key: 'doubt',
      terms: { amount: '1', accountNumber: '1' },
    },
    { kind: 'asked', call: 999, keys: ['doubt'], at: 0, api: 0 },
    { kind: 'unanswered', call: 999, at: 1, why: 'TimeoutError' },
  ]
  const forgotten = without(isAnswer(credit))

  assert.deepEqual(await findings([...entries, ...calls]), [])
  assert.deepEqual(await findings(forgotten), [])
})

test('an event on its way is missed at the end alone', async () => {
  const plant = `update deliveries set state = 'pending', delivered_at = null`
  const gone = without(isWebhook)

  assert.deepEqual(await findings(gone, plant, false), [])
  assert.match((await findings(gone, plant)).join('\n'), /never came \(pending\)/)
  assert.match((await findings(gone, `delete from deliveries`)).join('\n'), /was never queued/)
  assert.match(
    (await findings(gone, `update deliveries set state = 'failed'`)).join('\n'),
    /was given up/,
  )
})

test('after a loss, a payout that was sent is cancelled only if the bank refused it', async () => {
  const plant = `update payouts set status = 'cancelled', bank_reference = null, sending_at = null,
                        failure_reason = 'x' where id = ${PAYOUT}`
  const unpaid = without(isPaid)
  const refusal = {
    kind: 'refused_by_bank',
    at: 0,
    reference: references.payout,
    amount: '1',
  } as const

  assert.match(
    (await findings(unpaid, plant, true, true)).join('\n'),
    /the bank was told to pay .*, which is cancelled/,
  )
  assert.doesNotMatch(
    (await findings([...unpaid, refusal], plant, true, true)).join('\n'),
    /which is cancelled/,
  )
})

test('after a loss, a number that was given to two is a finding', async () => {
  const twoOwners = changed(isAnswer(payment), { result: { accountNumber: world.accountNumber } })

  assert.match((await findings(twoOwners, '', true, true)).join('\n'), /was given to .* and /)
})

test('work that waits and holds that lack money are judged at the end alone', async () => {
  const plant = `${OPEN_PAYOUT}, status = 'queued', sending_at = null,
                        send_after = now() + interval '2 hours' where id = ${PAYOUT}; ${LACKING_HOLD}`

  assert.doesNotMatch((await findings(entries, plant, false)).join('\n'), /waits until|lacks money/)
})
