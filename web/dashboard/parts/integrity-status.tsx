// The results of the last integrity checks.

import { ledgerStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { humanize } from '../format.ts'
import { useData } from '../loading.ts'
import { Icon } from './icons.tsx'
import { Failed, Skeleton } from './states.tsx'
import { Time } from './values.tsx'

type Audit = Schemas['IntegrityReport']

export function IntegrityStatus() {
  const { data, problem, reload } = useData('/api/v1/ledger/audit', {})
  if (problem && !data) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="line" />
  const { isOk, finishedAt, checks, isOverdue } = data
  const broken = checks.filter((check) => !check.isOk).length
  const title = isOk === null ? strings.notYet : isOk ? strings.adds : strings.addsNot
  return (
    <section class={`audit ${toneOf(data)}`} aria-labelledby="audit">
      <Icon name={isOk ? 'check' : 'warning'} />
      <div class="audit-text">
        <h2 id="audit">{title}</h2>
        <p>
          {isOk === null && strings.notYetText}
          {isOk === true && strings.held(checks.length)}
          {isOk === false && strings.broke(broken, checks.length)}
          {finishedAt && (
            <>
              {' '}
              {strings.ran} <Time at={finishedAt} />.
            </>
          )}
        </p>
        {isOverdue && <p>{strings.overdue}</p>}
        {isOk !== null && <Checks audit={data} />}
      </div>
    </section>
  )
}

function toneOf({ isOk, isOverdue }: Audit): string {
  if (isOk === false) return 'bad'
  return isOk === null || isOverdue ? 'warn' : 'good'
}

function Checks({ audit: { checks, findings, isOk } }: { audit: Audit }) {
  return (
    <details open={isOk === false}>
      <summary>{strings.checks}</summary>
      <ul class="checks">
        {checks.map(({ name, isOk: holds, findings: count }) => (
          <li key={name} class={holds ? 'good' : 'bad'}>
            <Icon name={holds ? 'check' : 'warning'} />
            <span>{strings.check[name] ?? humanize(name)}</span>
            <span class="check-end">{holds ? strings.holds : strings.fails(count)}</span>
            {findings
              ?.filter(({ check }) => check === name)
              .map((finding) => (
                <p key={finding.subject} class="finding small">
                  <code>{finding.subject}</code> {strings.expected(finding.expected, finding.found)}
                </p>
              ))}
          </li>
        ))}
      </ul>
    </details>
  )
}
