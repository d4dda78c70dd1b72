// A month: its checklist with links to the unfinished steps, closing the month, its signed pack, and
// reopening the month, which needs a second user's approval.

import { accountingStrings as strings, suspenseStrings } from '../../../copy.ts'
import { type Data, send } from '../../api.ts'
import { useData } from '../../loading.ts'
import { Action, DecideRequest } from '../../parts/action.tsx'
import { Link } from '../../parts/controls.tsx'
import { ReasonField } from '../../parts/forms.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import { mayAccount, type Session, type ViewProps } from '../../session.ts'
import { ClosedBadge, monthFrom, PeriodChoice, Report } from './reports.tsx'

const PATH = '/api/v1/operator/months/{month}'

type Month = Data<typeof PATH>

export function MonthClose({ place, session }: ViewProps) {
  const month = monthFrom(place)
  const loaded = useData(PATH, { month }, {})
  return (
    <Report
      fields={<PeriodChoice label={strings.month} type="month" name="month" value={month} />}
      links={
        loaded.data && <MonthActions month={loaded.data} {...{ session }} onDone={loaded.reload} />
      }
      loaded={loaded}
      show={(data) => <MonthDetail month={data} {...{ session }} onDone={loaded.reload} />}
    />
  )
}

const TAB_OF_CHECK: Record<string, string> = {
  days_closed: 'days',
  vat_ready: 'vatInvoices',
  wht_ready: 'vatInvoices',
}

type Check = Pick<Month['checks'][number], 'name' | 'link'>

// Returns the link to the place where the user can fulfil this check. The seller's TIN is set at the
// operator's own client.
function hrefOfCheck({ name, link }: Check, { client }: Session): string {
  const open = name === 'seller_tin_set' ? client.clientId : undefined
  return hrefOf(link === 'today' ? '' : link, open, { tab: TAB_OF_CHECK[name] })
}

type Props = { month: Month; session: Session; onDone: () => void }

// Closes the month, or requests to reopen it, which another user must approve.
function MonthActions({ month: { month, isClosed, reopenings }, session, onDone }: Props) {
  const params = { month }
  const isReopeningRequested = reopenings.some(({ state }) => state === 'open')
  return (
    <div class="buttons">
      {isClosed && (
        <a class="button" href={`/api/v1/operator/months/${month}/pack`} download>
          <Icon name="download" />
          {strings.months.pack}
        </a>
      )}
      {mayAccount(session) && (
        <>
          <Action
            title={strings.months.closeTitle(month)}
            action={strings.months.close}
            style="primary"
            isOffered={!isClosed}
            text={strings.months.closeText}
            run={(form, headers) => {
              const reason = form.text('reason')
              const body = reason === '' ? {} : { reason }
              return send('POST', `${PATH}/close`, { params, body, headers })
            }}
            message={strings.months.closed}
            onDone={onDone}
          >
            <ReasonField
              label={strings.closeReason}
              hint={strings.months.closeHint}
              rows={2}
              required={false}
            />
          </Action>
          <Action
            title={strings.months.reopenTitle(month)}
            action={strings.months.reopen}
            isOffered={isClosed && !isReopeningRequested}
            text={strings.months.reopenText}
            run={(form, headers) => {
              const body = { reason: form.text('reason') }
              return send('POST', `${PATH}/reopen`, { params, body, headers })
            }}
            message={strings.months.requested}
            onDone={onDone}
          >
            <ReasonField label={strings.closeReason} hint={strings.months.reopenHint} />
          </Action>
        </>
      )}
    </div>
  )
}

function MonthDetail({ month, session, onDone }: Props) {
  const { checks, closings, isClosed } = month
  const names: Readonly<Record<string, string>> = strings.months.checks
  const request = month.reopenings.find(({ state }) => state === 'open')
  return (
    <>
      <h2 class="section">
        {strings.months.checklist} <ClosedBadge isClosed={isClosed} />
      </h2>
      <ul class="decided" aria-label={strings.months.checklist}>
        {checks.map(({ name, isDone, open, link }) => (
          <li key={name}>
            <span class={`badge ${isDone ? 'good' : 'warn'}`}>
              {isDone ? strings.months.done : strings.months.missing(open)}
            </span>{' '}
            {isDone ? (
              (names[name] ?? name)
            ) : (
              <Link href={hrefOfCheck({ name, link }, session)}>{names[name] ?? name}</Link>
            )}
          </li>
        ))}
      </ul>
      {request && (
        <section class="request" aria-labelledby="asked">
          <h3 id="asked">{strings.months.waiting}</h3>
          <p>{suspenseStrings.person(request.requestedBy)}</p>
          <p class="request-reason">{request.reason}</p>
          <DecideRequest
            {...{ session, request, onDone }}
            isAfterFacts={false}
            amount={month.month}
            words={strings.months.words}
            decide={(verb, sent) =>
              send('POST', `${PATH}/reopen/{id}/${verb}`, {
                params: { month: month.month, id: request.id },
                ...sent,
              })
            }
          />
        </section>
      )}
      {closings.length > 0 && (
        <>
          <h2 class="section">{strings.months.history}</h2>
          <ul class="decided" aria-label={strings.months.history}>
            {closings.map(({ version, closedBy, closedAt, reason, reopenedAt }) => (
              <li key={version}>
                {strings.months.version(version, suspenseStrings.person(closedBy))}{' '}
                <Time at={closedAt} />
                {reason && <p class="muted">{reason}</p>}
                {reopenedAt && (
                  <p>
                    {strings.months.reopened} <Time at={reopenedAt} />
                  </p>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}
