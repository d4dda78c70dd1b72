// The upcoming settlement: its amounts, when it closes, and closing it now.

import { settlementsStrings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { count, money } from '../../format.ts'
import { useEvents, useThrottled } from '../../live.ts'
import { useData, useReload } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { Money, Time } from '../../parts/values.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import type { Session } from '../../session.ts'
import { AmountList } from './amounts.tsx'

const { upcoming: strings } = settlementsStrings
const SETTLEMENTS = '/api/v1/settlements'

type Props = { session: Session; isAbout: RegExp; version: number; changed: () => void }

export function Upcoming({ session, isAbout, version, changed }: Props) {
  const { data, problem, reload } = useData(`${SETTLEMENTS}/upcoming`, {})
  const refresh = useThrottled(reload)
  useReload(version, reload)
  const isOfMoney = (type: string) => isAbout.test(type) || /^(?:collection|payment)\./.test(type)
  const mayListen = session.scopes.includes('webhooks:read')
  useEvents(({ type }) => isOfMoney(type) && refresh(), mayListen, refresh)
  const failed = problem && <Failed problem={problem} retry={reload} />
  if (!data) return failed ?? <Skeleton kind="line" />
  const { net, currency, lines, closesAt } = data
  const isEmpty = net === 0 && lines === 0
  const mayClose = session.scopes.includes('payouts:write') && !isEmpty
  return (
    <>
      {failed}
      <section class="card panel upcoming" aria-labelledby="upcoming">
        <div class="upcoming-sum">
          <h2 id="upcoming">{strings.title}</h2>
          <p class="headline">
            <Money amount={net} currency={currency} />
          </p>
          <p class="muted">
            {closesAt === null ? (
              strings.manual
            ) : (
              <>
                {strings.closes} <Time at={closesAt} />
              </>
            )}
            {' · '}
            {isEmpty ? strings.empty : strings.count(count(lines))}
          </p>
          <div class="actions">
            <Action
              title={strings.closeTitle(money(net, currency))}
              action={strings.close}
              style="primary"
              isOffered={mayClose}
              text={strings.closeText}
              run={(_, headers) => send('POST', SETTLEMENTS, { body: {}, headers })}
              message={({ reference }) => strings.closed(reference)}
              done={({ reference }) => {
                changed()
                goTo(hrefOf('settlements', reference))
              }}
            />
          </div>
        </div>
        {!isEmpty && <AmountList of={data} />}
      </section>
    </>
  )
}
