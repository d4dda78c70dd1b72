// A drawer with an object's facts and its timeline.

import type { ComponentChildren } from 'preact'
import { appStrings } from '../../copy.ts'
import type { Data, GetPath, Params, Schemas } from '../api.ts'
import { useData, useLoaded, useReload } from '../loading.ts'
import { Drawer } from './drawer.tsx'
import { Pending } from './states.tsx'
import { Timeline } from './timeline.tsx'

type Props<P extends GetPath> = {
  title: string
  path: P
  params: Params<P>
  version?: number // A new one loads again.
  close: () => void
  show: (thing: Data<P>) => ComponentChildren
  timeline?: ComponentChildren
}

export function Detail<P extends GetPath>(props: Props<P>) {
  const { title, path, params, version = 0, close, show, timeline } = props
  const { data, problem, reload } = useData(path, params)
  useReload(version, reload)
  return (
    <Drawer title={title} close={close}>
      <Pending {...{ data, problem, reload }} kind="page" lines={8} />
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

type Whole = { load: (signal: AbortSignal) => Promise<Schemas['Timeline']>; version: number }

export function WholeTimeline({ load, version }: Whole) {
  const { data, problem, reload } = useLoaded('timeline', load)
  useReload(version, reload)
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="rows" lines={5} />
  return (
    <>
      <Timeline entries={data.entries} />
      {!data.isWhole && <p class="muted small">{appStrings.timeline.cut}</p>}
    </>
  )
}
