// The answer of every `list` command: the first items of a list, read page by page, as a table.

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
  const query = { ...filter, limit: Math.min(limit, PAGE_MAX) } as never
  const items = await take(terminal, read(query, { signal: terminal.interrupted }), limit)
  const none = terminal.isTerminal ? 'None.' : ''
  return { data: items, text: items.length > 0 ? table(terminal, columns, items) : none }
}

async function take<Item>(
  terminal: Terminal,
  items: AsyncIterable<Item>,
  limit: number,
): Promise<Item[]> {
  using progress = showProgress(terminal)
  const page: Item[] = []
  for await (const item of items) {
    page.push(item)
    if (page.length >= limit) break
    if (page.length % 100 === 0) progress.show(`${page.length} read …`)
  }
  return page
}
