// What every `list` command answers: the first items of a list, read page by page, as a table.

import type { Answer, Context } from './command-context.ts'
import { showProgress } from './progress.ts'
import { type Column, table } from './table.ts'
import type { Terminal } from './terminal.ts'

const PAGE_MAX = 100

type Filter = Record<string, unknown>
type Stop = { signal: AbortSignal }
type Listing<Item> = {
  columns: readonly Column<Item>[]
  read: (filter: never, stop: Stop) => AsyncIterable<Item>
}

export async function listAnswer<Item>(
  { terminal, options }: Context,
  filter: Filter,
  { columns, read }: Listing<Item>,
): Promise<Answer> {
  const limit = options.limit as number
  const asked = { ...filter, limit: Math.min(limit, PAGE_MAX) } as never
  const items = await take(terminal, read(asked, { signal: terminal.interrupted }), limit)
  const none = terminal.isTerminal ? 'None.' : ''
  return { data: items, text: items.length > 0 ? table(terminal, columns, items) : none }
}

// The first of a list, page by page; all or nothing.
async function take<Item>(
  terminal: Terminal,
  items: AsyncIterable<Item>,
  limit: number,
): Promise<Item[]> {
  using progress = showProgress(terminal)
  const taken: Item[] = []
  for await (const item of items) {
    taken.push(item)
    if (taken.length >= limit) break
    if (taken.length % 100 === 0) progress.show(`${taken.length} read …`)
  }
  return taken
}
