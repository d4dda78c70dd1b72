// The actions of the operator's users: they assign and return suspended money, carry payout files
// to the bank and its reports back, import statements, hold money, and release or forfeit it. The checker
// later compares each action's `termsToCheck` with the books.

import { type Actor, askOnce, naira, newKey, read } from './client-calls.ts'
import { FILE_BANK_CODE } from './file-bank.ts'
import type { Person } from './people.ts'
import type { Client, Credit } from './world.ts'

const FILES = '/api/v1/operator/payout-files'
const STATED_MAX = 8

const HOLDS = '/api/v1/operator/holds'
const HELD_MAX_KOBO = 20_000

type Item = { id: number; sessionId: string; amount: number; currency: string }

// Assigns or returns one of the oldest or newest suspended items. Now and then both happen at once, and the
// service may accept only one.
export async function resolveSuspense(actor: Actor): Promise<void> {
  const { world, random } = actor
  const client = random.pick(world.clients)
  const order = random.pick(['newest', 'oldest'])
  const path = `/api/v1/suspense?state=open&limit=20&order=${order}`
  const text = await read(actor, client, path)
  const items = text ? (JSON.parse(text).data as Item[]) : []
  const item = items.length > 0 ? random.pick(items) : undefined
  if (!item) return
  const actions = random.happens(0.3)
    ? [assignToAccount, returnToPayer]
    : [random.pick([assignToAccount, returnToPayer])]
  await Promise.all(actions.map((act) => act(actor, client, item)))
}

// Assigns a suspended item to a random collection account of its client.
async function assignToAccount({ caller, world, random }: Actor, client: Client, item: Item) {
  const accounts = world.accounts.items.filter((account) => account.client === client)
  if (accounts.length === 0) return
  const { firstNumber: accountNumber } = random.pick(accounts)
  await askOnce(caller, {
    operation: 'assignment',
    key: newKey('assignment'),
    client,
    path: `/api/v1/suspense/${item.id}/assign`,
    termsToCheck: { ...termsOf(item), accountNumber },
    body: { accountNumber },
    resultOf: ({ data }) => ({ state: data.state }),
  })
}

// Sends the money of a suspended item back to its payer.
async function returnToPayer({ caller }: Actor, client: Client, item: Item) {
  await askOnce(caller, {
    operation: 'return',
    key: newKey('return'),
    client,
    body: {},
    path: `/api/v1/suspense/${item.id}/return`,
    termsToCheck: termsOf(item),
    resultOf: ({ data }) => ({ returnReference: data.returnReference }),
  })
}

// The terms of a suspended item for the witness, with the amount in kobo.
function termsOf({ id, sessionId, amount }: Item) {
  return { item: `${id}`, sessionId, amount: `${Math.round(amount * 100)}` }
}

// Carries payouts to the bank without an API, as an operator does: creates a payout file, downloads it,
// uploads it at the bank, and uploads the bank's report to the service.
export async function exchangeFile(actor: Actor): Promise<void> {
  const { caller, world } = actor
  const { operator: client, fileBank } = world
  const verdict = await askOnce(caller, {
    operation: 'payout_file',
    key: newKey('payout_file'),
    client,
    path: FILES,
    termsToCheck: { bankCode: FILE_BANK_CODE },
    body: { bankCode: FILE_BANK_CODE, format: 'csv' },
    resultOf: ({ data }) => ({ file: data.id }),
  })
  if (verdict?.is === 'acknowledged') world.files.push(verdict.result.file as string)
  // A file whose download failed before is still in the list.
  for (const file of [...world.files]) {
    const csv = await read(actor, client, `${FILES}/${file}/download`)
    if (csv === undefined) continue
    fileBank.upload(file, csv)
    world.files = world.files.filter((id) => id !== file)
  }
  await reportFiles(actor)
}

// Uploads the file bank's report to the service.
export async function reportFiles({ caller, world }: Actor): Promise<void> {
  const body = world.fileBank.report()
  if (body === undefined) return
  await askOnce(caller, {
    operation: 'payout_report',
    key: newKey('payout_report'),
    client: world.operator,
    path: `${FILES}/results`,
    body,
    type: 'text/csv',
    termsToCheck: {},
    resultOf: ({ data: { confirmed, failed, pending, unchanged } }) => ({
      confirmed: `${confirmed}`,
      failed: `${failed}`,
      pending: `${pending}`,
      unchanged: `${unchanged}`,
    }),
  })
}

// Imports the next reported credits as lines of a bank statement. Each credit is put on one statement only.
export async function importStatement({ caller, world }: Actor): Promise<void> {
  const credits = world.unstated.splice(0, STATED_MAX)
  if (credits.length === 0) return
  const key = newKey('statement')
  await askOnce(caller, {
    operation: 'statement',
    key,
    client: world.operator,
    path: `/api/v1/operator/statements?bankCode=${world.bank.code}&format=camt053`,
    body: camt053(key, credits),
    type: 'application/xml',
    termsToCheck: { sessions: credits.map(({ sessionId }) => sessionId).join(',') },
    resultOf: ({ data: { lines } }) => ({ lines: `${lines}` }),
  })
}

// Writes a bank statement with these credits, in ISO 20022's format camt.053, which allows ids of up to 35
// characters.
function camt053(id: string, credits: readonly Credit[]): string {
  // Each credit is a booked credit entry, with its session id as the instruction id.
  const entries = credits.map(({ sessionId, kobo, at }) => {
    const day = watDay(at)
    return `<Ntry><Amt Ccy="NGN">${naira(kobo)}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
      <BookgDt><Dt>${day}</Dt></BookgDt><NtryDtls><TxDtls><Refs><InstrId>${sessionId}</InstrId></Refs>
      </TxDtls></NtryDtls></Ntry>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
    <Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
    <GrpHdr><MsgId>${id.slice(-35)}</MsgId><CreDtTm>${new Date().toISOString()}</CreDtTm></GrpHdr>
    <Stmt><Id>${id.slice(-35)}</Id><Acct><Id><Othr><Id>0123456789</Id></Othr></Id><Ccy>NGN</Ccy></Acct>
    ${entries.join('\n')}</Stmt></BkToCstmrStmt></Document>`
}

// Returns the day in West Africa, which is an hour ahead of UTC.
function watDay(at: Date): string {
  return new Date(at.getTime() + 3_600_000).toISOString().slice(0, 10)
}

// Places a hold. The amount is small, so that enough money is left for other actions; it may exceed the money
// that has arrived so far.
export async function placeHold({ caller, world, random }: Actor): Promise<void> {
  const client = random.pick(world.clients)
  const accounts = world.accounts.items.filter((account) => account.client === client)
  const account = accounts.length > 0 && random.happens(0.7) ? random.pick(accounts) : undefined
  const key = newKey('hold')
  const kobo = BigInt(random.integer(1, HELD_MAX_KOBO))
  const { clientId } = client
  const verdict = await askOnce(caller, {
    operation: 'hold',
    key,
    client: world.operator,
    path: HOLDS,
    termsToCheck: { clientId, amount: `${kobo}` },
    body: {
      ...(account
        ? { target: 'account', accountNumber: account.firstNumber }
        : { target: 'client' }),
      clientId,
      amount: naira(kobo),
      reason: key,
    },
    resultOf: ({ data }) => ({ reference: data.reference }),
  })
  if (verdict?.result.reference) world.holds.add(verdict.result.reference)
}

// One user requests the release or the forfeiture of a hold, and another approves it. Now and then the maker
// tries to approve it too, which is refused.
export async function endHold({ caller, world, random }: Actor): Promise<void> {
  const hold = world.holds.takeAny(random)
  if (!hold) return
  // The two users change roles at random.
  const [maker, checker] = random.happens(0.5) ? world.people : [...world.people].reverse()
  if (!maker || !checker) return
  const isRelease = random.happens(0.6)
  const kobo = !isRelease && random.happens(0.5) ? random.integer(1, HELD_MAX_KOBO / 4) : undefined
  const body = { reason: hold, ...(kobo === undefined ? {} : { amount: naira(BigInt(kobo)) }) }
  const terms = {
    hold,
    kind: isRelease ? 'release' : 'forfeiture',
    amount: kobo === undefined ? 'all' : `${kobo}`,
  }
  const verdict = await askOnce(caller, {
    operation: 'hold_ending',
    key: newKey('hold_ending'),
    client: maker,
    termsToCheck: terms,
    body,
    path: `${HOLDS}/${hold}/${isRelease ? 'release' : 'forfeit'}`,
    resultOf: ({ data }) => ({ request: `${data.id}`, revision: `${data.revision}` }),
  })
  if (verdict?.is !== 'acknowledged') {
    // The hold has less than the forfeiture, so it stays active for another attempt.
    if (verdict?.result.code === 'hold_too_small') world.holds.add(hold)
    return
  }
  const { request = '', revision } = verdict.result
  const approve = (client: Person) =>
    askOnce(caller, {
      operation: 'hold_approval',
      key: newKey('hold_approval'),
      client,
      path: `${HOLDS}/${hold}/approve`,
      termsToCheck: { ...terms, request, approver: client.email },
      body: { revision },
      resultOf: ({ data }) => ({ state: data.state, kind: data.kind }),
    })
  const approvals = [approve(checker)]
  if (random.happens(0.2)) approvals.push(approve(maker))
  const [approval] = await Promise.all(approvals)
  // The hold may still be active: it has money left, or the approval was refused or is in doubt.
  if (kobo !== undefined || approval?.is !== 'acknowledged') world.holds.add(hold)
}
