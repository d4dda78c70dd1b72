// A drawer with an object's facts and its timeline.

import type { ComponentChildren } from 'preact'
import { getData } from '../api.ts'
import { useLoaded, useReload } from '../loading.ts'
import { appStrings } from '../strings/app.ts'
import { Drawer } from './drawer.tsx'
import { Failed, Skeleton } from './states.tsx'
import { type Entry, Timeline } from './timeline.tsx'

type Props<Thing> = {
  title: string
  path: string // In the API.
  version: number // A new one asks again, while what was there stays.
  close: () => void
  show: (thing: Thing) => ComponentChildren
  timeline?: ComponentChildren // Where there is one.
}

export function Detail<Thing>({ title, path, version, close, show, timeline }: Props<Thing>) {
  const { data, problem, reload } = useFresh<Thing>(path, version)
  return (
    <Drawer title={title} close={close}>
      {problem && <Failed problem={problem} retry={reload} />}
      {!problem && !data && <Skeleton kind="page" lines={8} />}
      {data && (
        <>
          {show(data)}
          {timeline && <h3>{appStrings.timeline.label}</h3>}
          {timeline}
        </>
      )}
    </Drawer>
  )
}

type Whole = { entries: Entry[]; isWhole: boolean }

export function WholeTimeline({ path, version }: { path: string; version: number }) {
  const { data, problem, reload } = useFresh<Whole>(path, version)
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="rows" lines={5} />
  return (
    <>
      <Timeline entries={data.entries} />
      {!data.isWhole && <p class="muted small">{appStrings.timeline.cut}</p>}
    </>
  )
}

function useFresh<Thing>(path: string, version: number) {
  const loaded = useLoaded<Thing>(path, (signal) => getData<Thing>(path, {}, signal))
  useReload(version, loaded.reload)
  return loaded
}
