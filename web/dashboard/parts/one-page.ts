// A whole list that came at once, as a list's only page.

import type { Loaded, Paged } from '../loading.ts'

export function onePage<Item>({ data, ...loaded }: Loaded<Item[]>): Paged<Item> {
  const page = data && { data, hasMore: false, nextCursor: null }
  const still = { number: 1, isFirst: true, goFurther: () => {}, goBack: () => {} }
  return { ...loaded, ...still, data: page }
}
