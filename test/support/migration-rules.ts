// Rules for migrations. A migration runs while processes of the previous release still work on the
// database, so it must neither break nor block them (I80; CONTRIBUTING.md, Migrations). A comment above a
// statement exempts the statement: `-- safe: why`.

import type { SchemaFile } from '#db/migrate.ts'
import { type SqlStatement, splitList, splitStatements } from './sql-statements.ts'

type Fault = string | undefined
type Rule = readonly [pattern: RegExp, why: string]

const COLUMN = '(?:column )?(?:if not exists )?'
const LONG_LOCK = 'nobody can write to the table meanwhile'

// Each rule forbids statements that match the pattern, and says why.
const STATEMENTS: readonly Rule[] = [
  [/^drop\b/, 'the previous release may use it'],
  [/^(?:update|delete|truncate)\b/, 'locks what the previous release writes, until the end'],
  [
    /^create (?:or replace )?(?:constraint )?(?:trigger|rule)\b/,
    'also works on the previous release',
  ],
  [/^create or replace (?!view)/, 'changes what the previous release calls'],
  [/^create unique index\b/, 'refuses what the previous release may write'],
  [/^create index (?!concurrently)/, `${LONG_LOCK}: make it concurrently`],
  [/^alter (?!table)/, 'changes what the previous release may use'],
  [/^do\b/, 'nobody sees what it does'],
]

// The rules for each action of an `alter table`.
const ALTERATIONS: readonly Rule[] = [
  [/\bdrop\b/, 'the previous release may rely on it'],
  [/^rename\b/, 'the previous release knows the old name'],
  [/^alter .* type\b/, 'rewrites the table, and the previous release knows the old type'],
  [/\bset not null\b/, 'refuses what the previous release may write'],
  [/^add (?:constraint \w+ )?(?:unique|primary key|exclude)\b/, LONG_LOCK],
  [
    /^add (?:constraint \w+ )?(?:check|foreign key)\b(?!.*\bnot valid$)/,
    `${LONG_LOCK}: add it as not valid, and validate it in the next migration`,
  ],
  [
    new RegExp(`^add ${COLUMN}(?!.*\\bdefault\\b)(?!.*\\bgenerated\\b).*\\bnot null\\b`),
    'the previous release writes rows without it: give it a default',
  ],
  [
    new RegExp(
      `^add ${COLUMN}\\w+ .*\\b(?:default (?!now\\(\\))[\\w.]+\\(|stored\\b|as identity\\b)`,
    ),
    'rewrites the table',
  ],
  [/^(?:attach|detach) partition|^set (?:logged|unlogged|schema|tablespace)/, LONG_LOCK],
]

// The faults of one migration. Statements on `newTables`, which the previous release does not know, are
// allowed.
export function migrationFaults(file: SchemaFile, newTables: ReadonlySet<string>): string[] {
  const statements = splitStatements(file.text)
  return statements.flatMap((statement) => {
    if (statement.safe || newTables.has(tableOf(statement))) return []
    const fault = file.isOutsideTransaction
      ? findOutsideFault(statement)
      : (findStatementFault(statement) ?? findAlterationFault(statement, statements))
    return fault ? [`${file.path}:${statement.line}: ${fault}`] : []
  })
}

// The faults of the migration's first line, which names the release that it works beside.
export function headFaults(file: SchemaFile, previous: string): string[] {
  const { path, worksBeside } = file
  if (worksBeside === null) return [`${path}:1: says nowhere -- works beside: ${previous}`]
  if (worksBeside <= previous) return []
  return [`${path}:1: the previous release, ${previous}, must be able to run beside it`]
}

// The names of the tables that these migrations create.
export function createdTables(files: readonly SchemaFile[]): Set<string> {
  const created = files.flatMap(({ text }) =>
    splitStatements(text).map(({ words }) => /^create (?:unlogged )?table (\w+)/.exec(words)?.[1]),
  )
  return new Set(created.filter((name) => name !== undefined))
}

// The signatures of a file's SQL functions, by function name.
export function functionHeads(text: string): Map<string, string> {
  const heads = splitStatements(text).flatMap(({ words }) => {
    const [, head, name] =
      /^create or replace function ((\w+)\(.*\) returns .+?) (?:language|immutable|set)\b/.exec(
        words,
      ) ?? []
    return head && name ? [[name, head] as const] : []
  })
  return new Map(heads)
}

// The fault of a statement that a rule of STATEMENTS forbids.
function findStatementFault({ words }: SqlStatement): Fault {
  const rule = STATEMENTS.find(([pattern]) => pattern.test(words))
  return rule && `${shorten(words)}: ${rule[1]}`
}

// Checks each action of an `alter table`. `statements` are all of the migration: a constraint that it adds
// as not valid must be validated by a later migration.
function findAlterationFault({ words }: SqlStatement, statements: readonly SqlStatement[]): Fault {
  const [, table, list = ''] = /^alter table (?:if exists )?(?:only )?(\w+) (.*)$/.exec(words) ?? []
  for (const action of splitList(list)) {
    const rule = ALTERATIONS.find(([pattern]) => pattern.test(action))
    if (rule) return `${shorten(action)}: ${rule[1]}`
    const isAddedHere = statements.some(
      (statement) => tableOf(statement) === table && /not valid/.test(statement.words),
    )
    if (action.startsWith('validate constraint') && isAddedHere) {
      return `${shorten(action)}: in a migration of its own, or the lock that adding took lasts as long`
    }
  }
  return undefined
}

// Outside a transaction, only indexes may be built or dropped, concurrently.
function findOutsideFault({ words }: SqlStatement): Fault {
  if (
    /^(?:drop index concurrently if exists|create (?:unique )?index concurrently) \w+/.test(words)
  ) {
    return undefined
  }
  return `${shorten(words)}: outside a transaction there are only indexes, dropped if they exist and made`
}

// The table that a statement locks or writes; empty if there is none.
function tableOf({ words }: SqlStatement): string {
  const places = [
    /^alter table (?:if exists )?(?:only )?(\w+)/,
    /^create (?:unique )?index .*? on (?:only )?(\w+)/,
    /^create .*trigger .*? on (\w+)/,
    /^(?:update|delete from) (\w+)/,
  ]
  return places.map((place) => place.exec(words)?.[1]).find(Boolean) ?? ''
}

function shorten(words: string): string {
  return words.length > 60 ? `${words.slice(0, 60)}…` : words
}
