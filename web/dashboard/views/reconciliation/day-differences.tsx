// The differences of a day, to assign or resolve one by one or many at once.

import { useState } from 'preact/hooks'
import { reconciliationStrings as strings } from '../../../copy.ts'
import { count } from '../../format.ts'
import { Link } from '../../parts/link.tsx'
import { onePage } from '../../parts/one-page.ts'
import { ListTable } from '../../parts/table.tsx'
import { hrefOf, type Place } from '../../routing.ts'
import { mayAccount, type Session } from '../../session.ts'
import { AssignChosen } from './assign-many.tsx'
import { choosingOf, DIFFERENCE_COLUMNS } from './difference-list.tsx'
import type { DayProof } from './proof.tsx'
import { ResolveChosen } from './resolve-many.tsx'

// "1 open · 4 not matched yet · 2 explained", counted as in the proof.
function countsOf({ openDifferences, waitingDifferences, notedDifferences }: DayProof): string {
  const parts = [
    openDifferences > 0 && strings.open(count(openDifferences)),
    waitingDifferences > 0 && strings.waiting(count(waitingDifferences)),
    notedDifferences > 0 && strings.noted(count(notedDifferences)),
  ]
  return `${strings.tabs.differences}: ${parts.filter(Boolean).join(' · ')}`
}

type Props = { proof: DayProof; place: Place; session: Session; done: () => void }

export function DayDifferences({ proof, place, session, done }: Props) {
  const { differences, moreDifferences, bankCode } = proof
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  const ids = differences.map(({ id }) => `${id}`).filter((id) => chosen.has(id))
  const loaded = { data: differences, problem: undefined, isLoading: false, reload: done }
  const hasAny = differences.length > 0
  const mayResolve = mayAccount(session)
  const changed = () => {
    choose(new Set())
    done()
  }
  // The outcome of the last ones stays readable.
  return (
    <section {...(hasAny ? { 'aria-labelledby': 'differences' } : {})}>
      <header class={hasAny ? 'grid-top' : ''}>
        {hasAny && <h2 id="differences">{countsOf(proof)}</h2>}
        <div class="buttons">
          <AssignChosen ids={ids} session={session} done={changed} />
          <ResolveChosen ids={ids} done={changed} />
        </div>
      </header>
      {hasAny && (
        <ListTable
          caption={strings.tabs.differences}
          columns={DIFFERENCE_COLUMNS.filter(({ name }) => name !== strings.bank)}
          pages={onePage(loaded)}
          keyOf={({ id }) => `${id}`}
          hrefOf={({ id }) => hrefOf('reconciliation', `${id}`, place.query)}
          openKey={place.open}
          {...(mayResolve ? { choosing: choosingOf(chosen, choose) } : {})}
          empty={null}
        />
      )}
      {moreDifferences && (
        <p class="muted under-list">
          {strings.moreDifferences}{' '}
          <Link href={hrefOf('reconciliation', undefined, { tab: 'differences', bankCode })}>
            {strings.seeAll}
          </Link>
        </p>
      )}
    </section>
  )
}
