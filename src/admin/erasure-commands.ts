// `manilla admin … erase`: erases personal data on behalf of any client.

import { loadConfig } from '#config/config.ts'
import { withTransaction } from '#db/transaction.ts'
import { type Client, findClient } from '#domain/access/clients.ts'
import { accountWithNumber } from '#domain/accounts/additional-numbers.ts'
import { syncKeys } from '#domain/privacy/data-keys.ts'
import { eraseNextPage } from '#domain/privacy/erase-payer-data.ts'
import { eraseAccounts, eraseAdvice } from '#domain/privacy/erase-personal-data.ts'
import { Refusal } from '#errors.ts'
import { type AdviceId, parseReference } from '#ids.ts'
import { Sealer } from '#seal.ts'
import type { AdminCommand, Context } from './admin-command.ts'
import { type Arguments, columns, type Option, UsageProblem } from './command-line.ts'

const REASON_MAX = 200
const PLAIN_TEXT = /^(?=[\s\S]*\S)[^\p{Cc}\p{Cs}]*$/u
const REASON: Option = {
  name: 'reason',
  value: 'text',
  about: 'Reason (audit log), without personal data. Required.',
}

export const erasureCommands: readonly AdminCommand[] = [
  {
    name: 'account erase',
    subject: 'accountNumber',
    summary: 'Erase the personal data of a collection account. Irreversible.',
    options: [
      REASON,
      { name: 'same-bvn', about: 'Also erase other accounts of the client with the same BVN.' },
    ],
    async run(context, args) {
      const { subject } = args
      const { rows } = await context.db.query<{ clientId: string }>(
        `select c.client_id as "clientId"
           from collection_accounts a join clients c on c.id = a.client_id
          where a.id = ${accountWithNumber('$1')}`,
        [subject],
      )
      if (!rows[0]) throw new Refusal('account_not_found')
      const deps = await prepareDeps(context, args, rows[0].clientId)
      const accounts = await withTransaction(context.db, (tx) =>
        eraseAccounts(tx, deps, { accountNumber: subject, sameBvn: args.flag('same-bvn') }),
      )
      await erasePages(context, deps)
      const lines = accounts.map(({ accountNumber, erasedAt }) => {
        return [accountNumber, `erased ${erasedAt.toISOString()}`] as const
      })
      return { data: { accounts }, text: columns(lines).join('\n') }
    },
  },
  {
    name: 'advice erase',
    subject: 'adviceReference',
    summary: 'Erase the personal data of an advice. Irreversible.',
    options: [REASON],
    async run(context, args) {
      const id = parseReference<AdviceId>(args.subject)
      const { rows } = await context.db.query<{ clientId: string }>(
        `select c.client_id as "clientId" from advices a join clients c on c.id = a.client_id
          where a.id = $1`,
        [id ?? null],
      )
      if (!rows[0] || !id) throw new Refusal('advice_not_found')
      const deps = await prepareDeps(context, args, rows[0].clientId)
      const erased = await withTransaction(context.db, (tx) => eraseAdvice(tx, deps, id))
      await erasePages(context, deps)
      const text = columns([[id, `erased ${erased.erasedAt.toISOString()}`]]).join('\n')
      return { data: { adviceReference: id, ...erased }, text }
    },
  },
]

// Acts for the client, without its restriction to merchantCodes.
async function prepareDeps({ db, env, clock, actor }: Context, args: Arguments, clientId: string) {
  const reason = args.text('reason') ?? ''
  if (reason.length > REASON_MAX || !PLAIN_TEXT.test(reason)) {
    throw new UsageProblem(`--reason is required: 1 to ${REASON_MAX} characters.`)
  }
  const { secrets } = loadConfig(env, 'serve')
  const sealer = new Sealer(secrets.data, secrets.hash)
  await syncKeys(db, clock(), sealer)
  const client = (await findClient(db, clientId)) as Client
  return { sealer, now: clock(), by: { ...client, merchantCodes: null }, actor, reason }
}

// The workers erase stored webhook responses later, because deliveries may be in flight.
async function erasePages({ db, clock }: Context, { sealer }: { sealer: Sealer }): Promise<void> {
  while (await withTransaction(db, (tx) => eraseNextPage(tx, { sealer, now: clock() })));
}
