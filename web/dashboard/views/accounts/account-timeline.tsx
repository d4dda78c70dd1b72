// The timeline of a collection account, which may have millions of credits: the latest first, older ones on
// request. Pages count from the newest credit, so a reload loads as many as before.

import { useRef } from 'preact/hooks'
import { appStrings } from '../../../copy.ts'
import { getPage, type Params } from '../../api.ts'
import { useLoaded, useReload } from '../../loading.ts'
import { Button } from '../../parts/button.tsx'
import { Pending } from '../../parts/states.tsx'
import { type Entry, Timeline } from '../../parts/timeline.tsx'

const TIMELINE = '/api/v1/accounts/static/{accountNumber}/timeline'
// Credits beyond this many are not looked up.
const FURTHER_PAGES_MAX = 5

type Shown = { entries: readonly Entry[]; pages: number; hasMore: boolean }
type Props = { params: Params<typeof TIMELINE>; version: number }

export function AccountTimeline({ params, version }: Props) {
  const shown = useRef<Shown>({ entries: [], pages: 0, hasMore: true })
  const pages = useRef(1)
  const { data, problem, isLoading, reload } = useLoaded('timeline', async (signal) => {
    const back = { pages: pages.current, credits: creditsIn(shown.current.entries) }
    shown.current = await loadBack(params, back, signal)
    pages.current = Math.max(pages.current, shown.current.pages)
    return shown.current
  })
  useReload(version, reload)
  const goFurther = () => {
    pages.current = shown.current.pages + 1
    reload()
  }
  return (
    <>
      <Pending {...{ data, problem, reload }} kind="rows" lines={5} />
      {data && <Timeline entries={data.entries} />}
      {data?.hasMore && (
        <Button aria-busy={isLoading} onClick={goFurther}>
          {appStrings.timeline.further}
        </Button>
      )}
    </>
  )
}

async function loadBack(
  params: Props['params'],
  { pages, credits }: { pages: number; credits: ReadonlySet<string | null> },
  signal: AbortSignal,
): Promise<Shown> {
  let entries: Entry[] = []
  let cursor: string | undefined
  for (let count = 1; ; count++) {
    const page = await getPage(TIMELINE, params, { query: { cursor }, signal })
    entries = [...page.data, ...entries]
    cursor = page.nextCursor ?? undefined
    const found = creditsIn(entries)
    const hasAll = [...credits].every((credit) => found.has(credit))
    const isEnough = count >= pages && (hasAll || count >= pages + FURTHER_PAGES_MAX)
    if (isEnough || !cursor) return { entries, pages: count, hasMore: cursor !== undefined }
  }
}

function creditsIn(entries: readonly Entry[]): ReadonlySet<string | null> {
  return new Set(entries.flatMap(({ kind, reference }) => (kind === 'credit' ? reference : [])))
}
