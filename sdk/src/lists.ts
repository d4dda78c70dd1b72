// A list that is read page by page while it is iterated:
//   for await (const payment of manilla.payments.list({ status: 'Successful' })) …

export type Page<Item> = { data: Item[]; hasMore: boolean; nextCursor: string | null }

export class List<Item> implements AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<Page<Item>>

  constructor(read: (cursor: string | undefined) => Promise<Page<Item>>) {
    this.#read = read
  }

  /** One page: the first, or the one after `cursor`, the nextCursor of the page before. */
  page(cursor?: string): Promise<Page<Item>> {
    return this.#read(cursor)
  }

  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    let cursor: string | undefined
    do {
      const page = await this.#read(cursor)
      yield page
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
  }

  /** Starts from the first page each time. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data
  }
}
