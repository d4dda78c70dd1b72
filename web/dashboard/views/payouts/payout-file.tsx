// A payout file: download it, or mark it as not delivered once the bank confirms that.

import { payoutFilesStrings as strings, suspenseStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { count } from '../../format.ts'
import { Action } from '../../parts/action.tsx'
import { BankName } from '../../parts/bank-name.tsx'
import { Facts } from '../../parts/drawer.tsx'
import { TextAreaField } from '../../parts/forms.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Link } from '../../parts/link.tsx'
import { Copyable, Money, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import { mayAccount, type Session } from '../../session.ts'
import { DecideFailure } from './decide-failure.tsx'
import { FileState, type PayoutFile } from './file-state.tsx'

const PATH = '/api/v1/operator/payout-files'
const { person } = suspenseStrings

type Detail = { file: Schemas['PayoutFileDetail']; session: Session; done: () => void }

export function PayoutFileDetail({ file, session, done }: Detail) {
  const { id, amount, payouts, notDeliveredAt, blockedBy, failureRequest } = file
  const isInUse = mayAccount(session) && notDeliveredAt === null
  return (
    <>
      <div class="headline">
        <Money amount={amount} />
        <FileState file={file} />
      </div>
      <p class="muted">
        <Link href={hrefOf('payouts', undefined, { tab: 'all', payoutFile: id })}>
          {strings.count(count(payouts))}
        </Link>
      </p>
      {notDeliveredAt === null && blockedBy && (
        <p class="notice held">{whyBlocked(file, blockedBy)}</p>
      )}
      {isInUse && !blockedBy && (
        <>
          <p class="actions">
            <a class="button primary" href={`${PATH}/${id}/download`} download>
              <Icon name="download" />
              {strings.download}
            </a>
          </p>
          <p class="muted small after-facts">{strings.downloadNote}</p>
        </>
      )}
      <About file={file} />
      {failureRequest && <DecideFailure session={session} item={failureRequest} done={done} />}
      {isInUse && file.open > 0 && !failureRequest && <NotDelivered file={file} done={done} />}
    </>
  )
}

function whyBlocked({ settledByHand }: PayoutFile, blockedBy: string): string {
  if (blockedBy === 'payout_file_settled') return strings.byHand(count(settledByHand))
  return strings.blocked[blockedBy] ?? blockedBy
}

function About({ file }: { file: PayoutFile }) {
  const { downloadedAt, downloadedBy, notDeliveredAt, notDeliveredBy } = file
  return (
    <Facts
      facts={[
        [strings.id, <Copyable key="id" text={file.id} />],
        [strings.bank, <BankName key="bank" code={file.bankCode} />],
        [strings.format, strings.formats[file.format] ?? file.format],
        [strings.execution, file.executionDate],
        [strings.waiting, count(file.open)],
        [strings.confirmed, count(file.confirmed)],
        [strings.failed, count(file.failed)],
        [strings.created, <Time key="created" at={file.createdAt} />],
        [strings.createdBy, person(file.createdBy)],
        [strings.downloaded, downloadedAt && <Time at={downloadedAt} />],
        [strings.downloadedBy, downloadedBy && person(downloadedBy)],
        [strings.notDeliveredAt, notDeliveredAt && <Time at={notDeliveredAt} />],
        [strings.notDeliveredBy, notDeliveredBy && person(notDeliveredBy)],
        [strings.bankConfirmation, file.bankConfirmation],
        [strings.sha256, <Copyable key="sha256" text={file.sha256} />],
      ]}
    />
  )
}

function NotDelivered({ file: { id, open }, done }: { file: PayoutFile; done: () => void }) {
  return (
    <div class="actions">
      <Action
        title={strings.failTitle(count(open))}
        action={strings.fail}
        style="danger-text"
        isDangerous
        text={strings.failText}
        run={(form, headers) => {
          const body = { bankConfirmation: form.text('bankConfirmation') }
          return send('POST', `${PATH}/{id}/not-delivered`, { params: { id }, body, headers })
        }}
        message={strings.failedDone(id)}
        done={done}
      >
        <TextAreaField
          label={strings.confirmation}
          hint={strings.confirmationHint}
          name="bankConfirmation"
          rows={3}
          maxLength={400}
          required
        />
      </Action>
    </div>
  )
}
