// `manilla archive --before 2025-01`: moves the finished credits of months to files (docs/archiving.md).

import { join, resolve } from 'node:path'
import { databaseSettings } from '#config/config.ts'
import type { Pool } from '#db/pool.ts'
import {
  type Archived,
  ArchiveProblem,
  archiveMonth,
  previewMonth,
} from '#domain/archive/archive-month.ts'
import type { Archivable } from '#domain/archive/find-archivable.ts'
import {
  FINISHED_AFTER_DAYS,
  isFinished,
  type Month,
  monthAt,
  monthsFrom,
  parseMonth,
} from '#domain/archive/months.ts'
import { ProofProblem } from '#domain/proof/export-folder.ts'
import { formatKobo } from '#money.ts'
import type { AdminCommand, Context } from './admin-command.ts'
import { AdminProblem } from './admin-database.ts'
import { type Arguments, columns, UsageProblem } from './command-line.ts'
import { readDetails } from './export-details.ts'

const STATEMENT_MAX_MS = 6 * 3_600_000 // One statement may delete tens of millions of transfers.
const REASONS: Record<string, string> = {
  payment: 'of payments',
  suspended: 'in suspense, or once in suspense',
  reversed: 'reversed',
  refunded: 'refunded',
  shared: 'shared with subaccounts',
  differs: 'with open differences',
  unsettled: 'not settled yet',
  moved_later: 'moved after the month',
}

type Result = { month: string; folder: string | null } & (Archivable | Archived)

export const archiveCommands: readonly AdminCommand[] = [
  {
    name: 'archive',
    summary: 'Move the finished credits of old months to files.',
    options: [
      { name: 'before', value: 'month', about: 'Archive the months before this one. Required.' },
      {
        name: 'to',
        value: 'folder',
        about: 'Target folder. Default: archive, beside the embedded database.',
      },
      {
        name: 'dry-run',
        about: 'Show what would be archived and what would stay; change nothing.',
      },
    ],
    isTopLevel: true,
    statementMaxMs: STATEMENT_MAX_MS,
    async run(context, args) {
      const months = await readMonths(context, args)
      const to = readFolder(context, args)
      const results: Result[] = []
      for (const month of months) {
        results.push(
          args.flag('dry-run')
            ? { month: month.name, folder: null, ...(await previewMonth(context.db, month)) }
            : await runArchive(context, month, join(to, month.name)),
        )
      }
      return { data: { months: results }, text: results.map(describe).join('\n') || NOTHING }
    },
  },
]

const NOTHING = 'There is nothing to archive.'
const UNCHANGED = 'The month is not archived: delete what an interrupted run has left there.'

// Requires an explicit folder for an external database, because the files become the only copy.
function readFolder({ env }: Context, args: Arguments): string {
  const { databaseUrl, dataDir } = databaseSettings(env)
  const to = args.text('to') ?? (databaseUrl ? '' : join(dataDir, 'archive'))
  if (to === '') throw new UsageProblem('Specify --to <folder>, on a disk that is kept.')
  return resolve(to)
}

async function readMonths({ db, clock }: Context, args: Arguments): Promise<Month[]> {
  const before = parseMonth(args.text('before') ?? '')
  if (!before) throw new UsageProblem('Specify --before <month>, such as 2025-01.')
  const last = monthAt(new Date(before.from.getTime() - 1))
  if (!isFinished(last, clock())) {
    throw new AdminProblem(
      `${last.name} is too recent: months are archived ${FINISHED_AFTER_DAYS} days after they end.`,
    )
  }
  const begin = await findFirst(db)
  const { rows } = await db.query<{ name: string }>(
    `select to_char(month, 'YYYY-MM') as name from archives`,
  )
  const archivedMonths = new Set(rows.map(({ name }) => name))
  return begin ? monthsFrom(begin, before).filter(({ name }) => !archivedMonths.has(name)) : []
}

async function findFirst(db: Pool): Promise<Date | null> {
  const { rows } = await db.query<{ at: Date | null }>('select min(received_at) as at from credits')
  return rows[0]?.at ?? null
}

async function runArchive(context: Context, month: Month, folder: string): Promise<Result> {
  const { db, actor } = context
  try {
    const result = await archiveMonth(db, { month, folder, actor, ...readDetails(context) })
    return { month: month.name, folder: result.proof ? folder : null, ...result }
  } catch (error) {
    if (error instanceof ArchiveProblem) throw new AdminProblem(error.message)
    throw error instanceof ProofProblem ? new AdminProblem(`${error.message} ${UNCHANGED}`) : error
  }
}

function describe(result: Result): string {
  const { month, folder, credits, amountKobo, stays } = result
  const carried =
    'carried' in result ? `; ${result.transfers} transfers became ${result.carried}` : ''
  const rows: (readonly [string, string])[] = [
    [
      folder ? 'archived' : 'to archive',
      `${credits} ${credits === 1n ? 'credit' : 'credits'}, NGN ${formatKobo(amountKobo)}${carried}`,
    ],
    ...(folder ? [['to', folder] as const] : []),
    ...Object.entries(stays).map(
      ([reason, count]) => ['stay', `${count} ${REASONS[reason]}`] as const,
    ),
  ]
  return [month, ...columns(rows)].join('\n')
}
