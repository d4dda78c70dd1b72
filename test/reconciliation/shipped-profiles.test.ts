// The example file of each shipped CSV profile can be imported, including files with the newest line first.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { startTestService } from '../support/running-service.ts'
import { imported } from '../support/statement-files.ts'

const bench = closeAfterTests(await startTestService())
const SAMPLES = new URL('../banks/statements/samples/', import.meta.url)
const BANKS = { gtbank: '058', zenith: '057', access: '044', providus: '101', wema: '035' }

for (const [profile, bankCode] of Object.entries(BANKS)) {
  test(`an export of ${profile} is imported, and once`, async () => {
    const body = readFileSync(new URL(`${profile}.csv`, SAMPLES))
    const query = `bankCode=${bankCode}&format=csv&profile=${profile}`

    const first = await imported(bench, body, { query })
    const again = await imported(bench, body, { query })

    assert(first.lines > 0 && first.newLines === first.lines)
    assert.deepEqual([again.isUnchanged, again.statementId], [true, first.statementId])
    const { rows } = await bench.db.query<{ kobo: bigint }>(
      `select s.closing_kobo - s.opening_kobo - sum(l.amount_kobo) as kobo
         from statements s join statement_lines l on l.statement_id = s.id
        where s.bank_code = $1 group by s.id`,
      [bankCode],
    )
    assert.equal(Number(rows[0]?.kobo), 0)
  })
}
