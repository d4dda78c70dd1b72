// `manilla admin … erase`: a customer's personal data, by the operator's hand. What a client can do
// over HTTP for its own, whichever client it is.

import { loadConfig } from '#config/config.ts'
import { withTransaction } from '#db/transaction.ts'
import { type Client, findClient } from '#domain/access/clients.ts'
import { followKeys } from '#domain/privacy/data-keys.ts'
import { eraseAccounts, eraseAdvice } from '#domain/privacy/erase-personal-data.ts'
import { eraseNextPage } from '#domain/privacy/erased-traces.ts'
import { Refusal } from '#errors.ts'
import { parseReference } from '#ids.ts'
import { Sealer } from '#seal.ts'
import type { AdminCommand, Context } from './admin-command.ts'
import { columns, type Given, type Option, UsageProblem } from './command-line.ts'

const REASON_MAX = 200
const PLAIN_TEXT = /^(?=[\s\S]*\S)[^\p{Cc}\p{Cs}]*$/u
const REASON: Option = {
  name: 'reason',
  value: 'text',
  about: 'Why; kept for ever, so without any of the data that is to go. Required.',
}

export const erasureCommands: readonly AdminCommand[] = [
  {
    name: 'account erase',
    subject: 'accountNumber',
    summary: 'Erase the customer of a collection account, for good; the money stays.',
    options: [
      REASON,
      { name: 'same-bvn', about: 'Also the client’s other accounts with the same BVN.' },
    ],
    async run(context, given) {
      const { subject } = given
      const { rows } = await context.db.query<{ clientId: string }>(
        `select c.client_id as "clientId"
           from collection_accounts a join clients c on c.id = a.client_id
          where a.account_number = $1`,
        [subject],
      )
      if (!rows[0]) throw new Refusal('account_not_found')
      const deps = await depsOf(context, given, rows[0].clientId)
      const accounts = await withTransaction(context.db, (tx) =>
        eraseAccounts(tx, deps, subject, { sameBvn: given.flag('same-bvn') }),
      )
      await erasePages(context)
      const lines = accounts.map(({ accountNumber, erasedAt }) => {
        return [accountNumber, `erased ${erasedAt.toISOString()}`] as const
      })
      return { data: { accounts }, text: columns(lines).join('\n') }
    },
  },
  {
    name: 'advice erase',
    subject: 'adviceReference',
    summary: 'Erase the customer of an advice, for good; the money stays.',
    options: [REASON],
    async run(context, given) {
      const id = parseReference(given.subject)
      const { rows } = await context.db.query<{ clientId: string }>(
        `select c.client_id as "clientId" from advices a join clients c on c.id = a.client_id
          where a.id = $1`,
        [id ?? null],
      )
      if (!rows[0] || !id) throw new Refusal('advice_not_found')
      const deps = await depsOf(context, given, rows[0].clientId)
      const erased = await withTransaction(context.db, (tx) => eraseAdvice(tx, deps, id))
      await erasePages(context)
      const text = columns([[id, `erased ${erased.erasedAt.toISOString()}`]]).join('\n')
      return { data: { adviceReference: id, ...erased }, text }
    },
  },
]

// In the client's name, but without its limits.
async function depsOf({ db, env, clock, actor }: Context, given: Given, clientId: string) {
  const reason = given.text('reason') ?? ''
  if (reason.length > REASON_MAX || !PLAIN_TEXT.test(reason)) {
    throw new UsageProblem(`--reason is required: text of 1 to ${REASON_MAX} characters.`)
  }
  const { secrets } = loadConfig(env, 'serve')
  const sealer = new Sealer(secrets.data, secrets.hash)
  await followKeys(db, clock(), sealer)
  const client = (await findClient(db, clientId)) as Client
  return { sealer, now: clock(), by: { ...client, merchantCodes: null }, actor, reason }
}

// What receivers answered is left to the workers: deliveries may be on their way.
async function erasePages({ db, clock }: Context): Promise<void> {
  while (await withTransaction(db, (tx) => eraseNextPage(tx, clock())));
}
