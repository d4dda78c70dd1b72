// The page that the link of a scheduled report opens: the period of the report, and its file to download.

import { reportsStrings as strings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { useData } from '../../loading.ts'
import { Facts } from '../../parts/drawer.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Link } from '../../parts/link.tsx'
import { Pending } from '../../parts/states.tsx'
import { Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../view-props.ts'
import { Schedules } from './schedules.tsx'

export default function Reports(props: ViewProps) {
  const { open } = props.place
  return open === undefined ? <Schedules {...props} /> : <Report reference={open} />
}

function Report({ reference }: { reference: string }) {
  const { data, problem, reload } = useData('/api/v1/reports/{reference}', { reference })
  return (
    <section class="card panel">
      <Pending {...{ data, problem, reload }} kind="page" lines={5} />
      {data && <ReportFile report={data} />}
      <p>
        <Link href={hrefOf('settings', undefined, { tab: 'reports' })}>{strings.back}</Link>
      </p>
    </section>
  )
}

// Returns the day before `to`, because `to` is exclusive.
function lastDay(to: string): string {
  return new Date(Date.parse(`${to}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)
}

function ReportFile({ report }: { report: Schemas['Report'] }) {
  const { name, from, to, format, path } = report
  const last = lastDay(to)
  return (
    <>
      <h2>{name}</h2>
      <Facts
        facts={[
          [strings.period, from === last ? from : `${from} – ${last}`],
          [strings.made, <Time key="made" at={report.createdAt} />],
          [strings.expires, <Time key="expires" at={report.expiresAt} />],
        ]}
      />
      <div class="buttons">
        <a class="button primary" href={path} download>
          <Icon name="download" />
          {strings.download(strings.formats[format])}
        </a>
      </div>
    </>
  )
}
