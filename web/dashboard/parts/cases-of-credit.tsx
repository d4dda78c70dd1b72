// The cases about a credit, and the button that opens one. For operators.

import { casesStrings as strings } from '../../copy.ts'
import { getPage } from '../api.ts'
import { useLoaded, useReload } from '../loading.ts'
import { hrefOf } from '../routing.ts'
import { Link } from './link.tsx'
import { OpenCase } from './open-case.tsx'
import { PlaceHold } from './place-hold.tsx'
import { Failed } from './states.tsx'
import { Badge } from './values.tsx'

type Props = {
  clientId: string
  sessionId: string
  amount: number
  refreshKey: number
  changed: () => void
}

// The fraud cases of a credit, and the buttons that open another case or place a hold on the credit.
export function CasesOfCredit({ clientId, sessionId, amount, refreshKey, changed }: Props) {
  const { data, problem, reload } = useLoaded(`cases of ${sessionId}`, (signal) =>
    getPage('/api/v1/operator/cases', {}, { query: { sessionId }, signal }),
  )
  useReload(refreshKey, reload)
  const cases = data?.data ?? []
  return (
    <section aria-label={strings.ofCredit}>
      {problem && <Failed problem={problem} retry={reload} />}
      {cases.length > 0 && (
        <>
          <h3>{strings.ofCredit}</h3>
          <ul class="locations">
            {cases.map(({ reference, state, summary }) => (
              <li key={reference}>
                <Link href={hrefOf('cases', reference)}>{reference}</Link>
                <span>
                  {summary} <Badge state={state} />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="buttons after-facts">
        <OpenCase known={{ clientId, sessionId, amount }} />
        <PlaceHold known={{ clientId, sessionId }} onDone={changed} />
      </div>
    </section>
  )
}
