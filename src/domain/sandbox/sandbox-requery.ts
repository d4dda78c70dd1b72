// The sandbox bank's answers to transfer queries: the transfers that it did not report at once. So a lost
// transfer is found as at any bank: on demand, when the payer says that it was sent, before the payment
// expires, or by a sweep.

import type { BankCalls, TransferListQuery } from '#banks/connector.ts'
import type { ParsedItem } from '#banks/notifications.ts'
import type { Queryable } from '#db/pool.ts'
import { creditOf, type DueReport, REPORT_COLUMNS } from './scheduled-reports.ts'

const PAGE = 200
export function sandboxRequeryCalls(
  db: Queryable,
  bankCode: string,
): Pick<BankCalls, 'findTransfer' | 'listTransfers'> {
  return {
    async findTransfer({ value }) {
      const { rows } = await db.query<DueReport>({
        name: 'find-sandbox-transfer',
        text: `select ${REPORT_COLUMNS} from sandbox_reports
                where session_id = $1 and bank_code = $2 and step = 'credit'`,
        values: [value, bankCode],
      })
      return rows[0] ? { status: 'found', items: rows.map(itemOf) } : { status: 'not_found' }
    },
    async listTransfers(query) {
      const rows = await list(db, bankCode, query)
      const last = rows.length === PAGE ? rows.at(-1) : undefined
      return { status: 'listed', items: rows.map(itemOf), nextCursor: last?.id.toString() ?? null }
    },
  }
}

async function list(
  db: Queryable,
  bankCode: string,
  { accountNumber, from, to, cursor }: TransferListQuery,
): Promise<DueReport[]> {
  const { rows } = await db.query<DueReport>({
    name: 'list-sandbox-transfers',
    text: `select ${REPORT_COLUMNS} from sandbox_reports
            where bank_code = $1 and step = 'credit' and id > $2
              and made_at between $3 and $4
              and ($5::text is null or account_number = $5)
            order by id limit ${PAGE}`,
    values: [bankCode, cursor ?? '0', from, to, accountNumber],
  })
  return rows
}

function itemOf(report: DueReport): ParsedItem {
  return { ok: true, credit: creditOf(report) }
}
