// Operator settings for payouts: holidays, a client's limits, and bank charges.

import type { ViewProps } from '../../view-props.ts'
import { ClientPayoutLimits } from './client-payout-limits.tsx'
import { Holidays } from './holidays.tsx'
import { PayoutTariffs } from './payout-tariffs.tsx'

export function PayoutRules({ place }: ViewProps) {
  return (
    <>
      <Holidays />
      <ClientPayoutLimits />
      <PayoutTariffs openKey={place.open} />
    </>
  )
}
