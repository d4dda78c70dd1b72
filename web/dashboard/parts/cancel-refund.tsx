// Cancels a refund, for a reason, before any of it is sent.

import { refundsStrings as strings } from '../../copy.ts'
import { type Schemas, send } from '../api.ts'
import { Action } from './action.tsx'
import { ReasonField } from './forms.tsx'
import { explainRefusal } from './refund-form.tsx'

type Props = { refund: Schemas['Refund']; done: () => void }

export function CancelRefund({ refund: { reference }, done }: Props) {
  return (
    <div class="buttons entry-actions">
      <Action
        action={strings.cancel}
        style="small"
        no={strings.keep}
        isDangerous
        text={strings.cancelText}
        run={(form, headers) => {
          const body = { reason: form.text('reason') }
          const path = '/api/v1/refunds/{reference}/cancel'
          return send('POST', path, { params: { reference }, body, headers }).catch(explainRefusal)
        }}
        message={strings.cancelled(reference)}
        done={done}
      >
        <ReasonField label={strings.reason} hint={strings.reasonHint} rows={2} maxLength={200} />
      </Action>
    </div>
  )
}
