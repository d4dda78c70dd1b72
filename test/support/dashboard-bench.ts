// A service with its dashboard in a real browser: pages of signed-in users, with the service's clock, and
// days of trade for the dashboard to show.

import assert from 'node:assert/strict'
import type { Role } from '#access/permissions.ts'
import { closeExpired } from '#credits/close.ts'
import { withTransaction } from '#db/transaction.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { countTotalsRound } from '#reports/workers.ts'
import type { openBrowser, PageOptions } from './browser.ts'
import { listenLocally } from './event-source.ts'
import { createAccount, MINUTE_MS, startPayment } from './fixtures.ts'
import { makeUser, PASSWORD, SESSION_URL } from './people.ts'
import type { Bench } from './running-service.ts'
import { credit } from './tracing.ts'
import { startWebhookBench } from './webhook-bench.ts'

const HOUR_MS = 60 * MINUTE_MS
const NEVER = new AbortController().signal

export type DashboardBench = Awaited<ReturnType<typeof startDashboardBench>>
type Browser = Awaited<ReturnType<typeof openBrowser>>
type Opening = PageOptions & { role?: Role; clientId?: string; email?: string }

// Starts a service that listens on loopback. `openAs` opens a browser page for a signed-in user.
export async function startDashboardBench() {
  const bench = await startWebhookBench()
  const url = await listenLocally(bench.service.app)
  return { ...bench, url, openAs: openerOf(bench, url) }
}

// Returns a function that opens a browser page for a signed-in user: the one with `email`, or else a new user
// of the client. The page is still empty; the test chooses its address.
export function openerOf(bench: Bench, url: string) {
  return async (browser: Browser, { role = 'owner', clientId, ...rest }: Opening = {}) => {
    const { email: existingEmail, ...options } = rest
    const email =
      existingEmail ?? (await makeUser(bench, { role, ...(clientId ? { clientId } : {}) }))
    const opened = await browser.newPage({ timezoneId: 'Africa/Lagos', ...options })
    const { page } = opened
    await page.clock.setFixedTime(bench.clock())
    await page.context().addCookies([{ ...(await sessionOf(url, email)), url }])
    // Without this key, the dashboard does not ask for the session of the cookie.
    await page.addInitScript(() => localStorage.setItem('manilla-signed-in', 'yes'))
    return opened
  }
}

// Signs in; returns the session cookie.
async function sessionOf(url: string, email: string) {
  const answer = await fetch(`${url}${SESSION_URL}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  assert.equal(answer.status, 200, await answer.text())
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '') ?? []
  return { name: name as string, value: value as string }
}

const PAYERS = [
  'ADAEZE OKONKWO',
  'BABATUNDE ADEYEMI',
  'CHIAMAKA EZE',
  'DAUDA IBRAHIM',
  'EFE OGHENEKARO',
  'FOLAKE BALOGUN',
  'GODSWILL UDOH',
  'HAUWA SULEIMAN',
]

// Fills the dashboard with days of a small shop, always the same: a credit a day, and at the end ten hours
// with payments that are exact, too high, partial or missing.
export async function fillDays(bench: Bench, days = 30): Promise<void> {
  const accounts = await Promise.all(
    PAYERS.slice(0, 4).map((name, at) =>
      createAccount(bench, { accountName: titled(name), merchantId: `SHOP-${1 + (at % 2)}` }),
    ),
  )
  const payerOf = (index: number) => ({ sourceAccountName: PAYERS[index % PAYERS.length] })
  for (let day = 0; day < days; day++) {
    const { accountNumber } = accounts[day % accounts.length]
    const naira = 20_000 + ((day * 7_919) % 61_000)
    await credit(bench, accountNumber, `${naira}.00`, payerOf(day))
    bench.advance(24 * HOUR_MS)
  }
  for (let hour = 0; hour < 10; hour++) {
    const { accountNumber } = accounts[hour % accounts.length]
    await credit(bench, accountNumber, `${3_000 + ((hour * 3_571) % 17_000)}.50`, payerOf(hour))
    await trade(bench, hour, payerOf(hour + 3))
    bench.advance(HOUR_MS)
    await withTransaction(bench.db, (tx) =>
      closeExpired(tx, { sharedAccounts: new SharedAccounts(bench.db), now: bench.clock() }),
    )
  }
  await trade(bench, 10, payerOf(5))
  await countTotalsRound(bench)(NEVER)
  await skipEvents(bench)
}

// Marks all past events as dispatched, so that no webhook is sent to addresses that do not exist.
export async function skipEvents({ db }: Bench): Promise<void> {
  await db.query(
    `insert into dispatch_cursors (client_id, sequence)
     select client_id, sequence from event_counters
     on conflict (client_id) do update set sequence = excluded.sequence`,
  )
}

// One payment. The hour decides which percentage of its amount the payer sends.
async function trade(bench: Bench, hour: number, payer: { sourceAccountName: string | undefined }) {
  const [firstName = '', lastName = ''] = titled(payer.sourceAccountName ?? '').split(' ')
  const { bankAccount } = await startPayment(bench, {
    amount: 4_500 + hour * 750,
    merchantRef: `ORDER-${1040 + hour}`,
    narration: 'Running shoes',
    customer: { customerFirstName: firstName, customerLastName: lastName },
  })
  const percent = [100, 100, 110, 100, 40, 100, 0, 100, 100, 100, 50][hour] as number
  const amount = `${((4_500 + hour * 750) * percent) / 100}`
  if (percent > 0) await credit(bench, bankAccount, amount, payer)
}

// "ADA OBI" becomes "Ada Obi".
function titled(name: string): string {
  return name.toLowerCase().replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase())
}
