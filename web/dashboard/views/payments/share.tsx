// The dialog with the link of a payment request, to copy, to share, or to scan as a QR code.

import { useState } from 'preact/hooks'
import { paymentsStrings } from '../../../copy.ts'
import type { Schemas } from '../../api.ts'
import { money } from '../../format.ts'
import { useData } from '../../loading.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, NoticeDialog } from '../../parts/dialog.tsx'
import { QrCode } from '../../parts/qr-code.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { Copyable } from '../../parts/values.tsx'

type Shared = Pick<
  Schemas['Advice'],
  'amount' | 'currency' | 'customerFullName' | 'paymentUrl' | 'narration'
>

const { share: strings } = paymentsStrings

export function ShareButton({ reference }: { reference: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button style="primary" onClick={() => setOpen(true)}>
        {strings.open}
      </Button>
      {isOpen && <LoadAndShare reference={reference} close={() => setOpen(false)} />}
    </>
  )
}

// Loads the request, because the caller knows only its reference, and then opens the dialog.
function LoadAndShare({ reference, close }: { reference: string; close: () => void }) {
  const { data, problem, reload } = useData('/api/v1/advices/{reference}', { reference })
  if (data) return <ShareDialog title={strings.title} request={data} close={close} />
  return (
    <Dialog title={strings.title} close={close}>
      {problem ? <Failed problem={problem} retry={reload} /> : <Skeleton kind="rows" lines={4} />}
    </Dialog>
  )
}

type Props = { title: string; request: Shared; close: () => void }

// Shows the link and its QR code. Where the browser can share links, there is also a button for that.
export function ShareDialog({ title, request, close }: Props) {
  const { amount, currency, customerFullName, paymentUrl: url, narration } = request
  const shareData = { title: narration ?? title, url }
  const canShare = typeof navigator.share === 'function' && navigator.canShare?.(shareData)
  return (
    <NoticeDialog
      title={title}
      closeLabel={strings.done}
      otherButtons={
        canShare && (
          // Rejects if the user closes the share sheet.
          <Button onClick={() => navigator.share(shareData).catch(() => {})}>{strings.send}</Button>
        )
      }
      close={close}
    >
      <p class="muted">{strings.text(money(amount, currency), customerFullName)}</p>
      <div class="share">
        <QrCode text={url} label={strings.qr} />
        <Copyable text={url} name={strings.link} />
      </div>
    </NoticeDialog>
  )
}
