// A complete list as the only page of a list.

import type { Loaded, Paged } from '../loading.ts'

export function onePage<Item>({ data, ...loaded }: Loaded<Item[]>): Paged<Item> {
  const page = data && { data, hasMore: false, nextCursor: null }
  const still = { number: 1, isFirst: true, goFurther: () => {}, goBack: () => {} }
  return { ...loaded, ...still, data: page }
}
