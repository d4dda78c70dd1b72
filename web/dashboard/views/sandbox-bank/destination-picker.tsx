// Picks the destination of a sandbox transfer: a recent open or expired payment, or a collection
// account.

import { useState } from 'preact/hooks'
import { sandboxBankStrings as strings } from '../../../copy.ts'
import { getPage, type Schemas } from '../../api.ts'
import { money } from '../../format.ts'
import { useLoaded, useReload } from '../../loading.ts'
import { Segments } from '../../parts/controls.tsx'
import { Pending } from '../../parts/states.tsx'

const KINDS = ['open', 'accounts', 'expired'] as const
const SHOWN = '8'

export type Destination = {
  from: (typeof KINDS)[number]
  accountNumber: string
  title: string
  note: string
  closesAt?: string // The end of the grace period of a payment.
}

type Props = {
  chosen: Destination | undefined
  choose: (destination: Destination) => void
  refreshKey: number
}

export function DestinationPicker({ chosen, choose, refreshKey }: Props) {
  const [from, setFrom] = useState<Destination['from']>('open')
  const { data, problem, reload } = useLoaded(from, (signal) => loadDestinations(from, signal))
  useReload(refreshKey, reload)
  return (
    <>
      <Segments
        label={strings.where}
        options={KINDS}
        names={strings}
        chosen={from}
        choose={setFrom}
      />
      <Pending {...{ data, problem, reload }} kind="rows" lines={4} />
      {data?.length === 0 && <p class="muted">{strings.none[from]}</p>}
      {data && data.length > 0 && (
        <fieldset class="picker">
          <legend class="hidden">{strings[from]}</legend>
          {data.map((destination) => (
            <label key={destination.accountNumber} class="choice">
              <input
                type="radio"
                name="destination"
                checked={
                  chosen?.accountNumber === destination.accountNumber && chosen.from === from
                }
                onChange={() => choose(destination)}
              />
              <span class="choice-text">
                <span>{destination.title}</span>
                <code class="muted">{destination.accountNumber}</code>
              </span>
              <span class="money">{destination.note}</span>
            </label>
          ))}
        </fieldset>
      )}
    </>
  )
}

// Loads the newest accounts, open payments or expired payments.
async function loadDestinations(
  from: Destination['from'],
  signal: AbortSignal,
): Promise<Destination[]> {
  if (from === 'accounts') {
    const query = { limit: SHOWN, active: 'true' }
    const { data } = await getPage('/api/v1/accounts/static', {}, { query, signal })
    return data.map(({ accountNumber, accountName, accountBalance, currencyCode }) => ({
      from,
      accountNumber,
      title: accountName,
      note: money(accountBalance, currencyCode),
    }))
  }
  const statuses = from === 'open' ? ['PartPayment', 'Processing'] : ['Expired']
  const pages = await Promise.all(
    statuses.map((status) =>
      getPage('/api/v1/payments', {}, { query: { status, limit: SHOWN }, signal }),
    ),
  )
  return pages.flatMap(({ data }) => data).flatMap((payment) => toDestinations(from, payment))
}

// A payment is paid into its latest number. A payment without a number is no destination.
function toDestinations(from: 'open' | 'expired', payment: Schemas['Payment']): Destination[] {
  const number = payment.numbers.at(-1)
  if (!number) return []
  const { customerName: title, amount, amountRemaining, currency, closesAt } = payment
  const note =
    from === 'open' ? strings.due(money(amountRemaining, currency)) : money(amount, currency)
  return [{ from, accountNumber: number.accountNumber, title, note, closesAt }]
}
