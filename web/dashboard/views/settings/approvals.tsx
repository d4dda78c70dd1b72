// The settings of maker-checker at the suspense desk, and the rules for the approval of payouts.

import { useData, usePage } from '../../loading.ts'
import { Pending } from '../../parts/states.tsx'
import type { Session } from '../../session.ts'
import type { ViewProps } from '../../view-props.ts'
import { ApprovalSettings } from '../settlements/settings.tsx'
import { MakerCheckerSetting, SETTINGS } from '../suspense/maker-checker-setting.tsx'

export function Approvals({ session }: ViewProps) {
  const hasScope = (scope: string) => session.scopes.includes(scope)
  return (
    <>
      {hasScope('suspense:read') && <MakerChecker session={session} />}
      {hasScope('payouts:read') && <ApprovalSettings mayWrite={hasScope('payouts:write')} />}
    </>
  )
}

// The maker-checker setting with its open request, if there is one.
function MakerChecker({ session }: { session: Session }) {
  const settings = useData(SETTINGS, {})
  const waiting = usePage('/api/v1/suspense/requests', { state: 'open', limit: '100' })
  if (settings.problem || !settings.data) return <Pending {...settings} kind="line" />
  return (
    <MakerCheckerSetting
      isOn={settings.data.makerChecker}
      session={session}
      // A request without an item is about the setting itself.
      request={waiting.data?.data.find(({ itemId }) => itemId === null)}
      changed={() => [settings, waiting].forEach(({ reload }) => void reload())}
    />
  )
}
