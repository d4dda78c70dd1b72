// Many questions become one: where a bank would be asked for more numbers than it answers in a few
// seconds, it is asked once for all of its transfers of that time; and where sweeps wait for a bank
// that is down, the last one asks for the windows of all.
//
// A merged question is not lost: the one that it is merged into stays open until it is answered.

import type { Transaction } from '#db/transaction.ts'
import { livesIn } from '#domain/records/test-clocks.ts'

const NUMBERS_MAX = 20 // Asked for one by one.
const SPAN_MAX_MS = 2 * 3_600_000 // Of one list: a day of a whole bank costs more than a few numbers.

export async function mergeQuestions(tx: Transaction, now: Date, bankCode: string): Promise<void> {
  await mergeNumbers(tx, now, bankCode)
  await mergeSweeps(tx, now, bankCode)
}

async function mergeNumbers(tx: Transaction, now: Date, bankCode: string): Promise<void> {
  await tx.query({
    name: 'merge-requeries-of-numbers',
    text: `with many as materialized (
             select id, reason, from_at from requeries
              where bank_code = $1 and state = 'open' and due_at <= $2
                and (leased_until is null or leased_until <= $2)
                and reason in ('name_enquiry', 'expiry', 'grace')
                and account_number is not null and cursor is null
                and ${livesIn('client_id', 'null')}
                and from_at > $2::timestamptz - interval '${SPAN_MAX_MS} ms'
           ), wide as (
             insert into requeries (bank_code, reason, subject, from_at, due_at, created_at)
             select $1, reason, 'numbers/' || max(id), min(from_at), $2, $2
               from many group by reason having count(*) > ${NUMBERS_MAX}
             returning id, reason
           )
           update requeries q
              set state = 'merged', merged_into = wide.id, finished_at = $2, leased_until = null
             from many join wide using (reason)
            where q.id = many.id`,
    values: [bankCode, now],
  })
}

// One that was begun is read to its end.
async function mergeSweeps(tx: Transaction, now: Date, bankCode: string): Promise<void> {
  await tx.query({
    name: 'merge-sweeps',
    text: `with waiting as materialized (
             select id, from_at, split_part(subject, '/', 2) as sweep,
                    max(id) over (partition by split_part(subject, '/', 2)) as last_id
               from requeries
              where bank_code = $1 and state = 'open' and reason = 'sweep' and cursor is null
                and (leased_until is null or leased_until <= $2)
           ), widened as (
             update requeries q set from_at = least(q.from_at, w.from_at)
               from (select last_id, min(from_at) as from_at, count(*) as sweeps
                       from waiting group by last_id) as w
              where q.id = w.last_id and w.sweeps > 1
           )
           update requeries q
              set state = 'merged', merged_into = w.last_id, finished_at = $2, leased_until = null
             from waiting w
            where q.id = w.id and w.id <> w.last_id`,
    values: [bankCode, now],
  })
}
