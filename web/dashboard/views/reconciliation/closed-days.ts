// Which days are closed, of all banks alike.

import { useData, useReload } from '../../loading.ts'

type Range = { from: string; to: string }

export function useClosedDays({ from, to }: Range, version: number): ReadonlySet<string> {
  const { data, reload } = useData('/api/v1/operator/days', {}, { from, to })
  useReload(version, reload)
  return new Set(data?.filter(({ isClosed }) => isClosed).map(({ day }) => day))
}
