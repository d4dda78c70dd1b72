// Schemas and presenters of payout files and of what banks report of them.

import { Type } from '@fastify/type-provider-typebox'
import { type Judgement, PROBLEMS } from '#domain/payouts/judge-file-results.ts'
import {
  FILE_BLOCKS,
  FILE_FORMATS,
  isFileReference,
  type PayoutFile,
} from '#domain/payouts/payout-files.ts'
import { Refusal } from '#errors.ts'
import { bankCode, named, nullable, oneOf } from '#http/schemas.ts'
import { toNaira } from '#money.ts'
import { timestamp } from '#wat-time.ts'
import { OpenFailure } from './payout-failure-presenters.ts'

export const PayoutFileRequest = Type.Object(
  {
    bankCode: bankCode('Bank that sends the payouts.'),
    format: oneOf(FILE_FORMATS, 'pain.001: ISO 20022 pain.001.001.09. csv: one line per payout.'),
  },
  { additionalProperties: false },
)

const FileFields = {
  id: Type.String({ description: 'Also the MsgId and PmtInfId of a pain.001.' }),
  bankCode: Type.String(),
  format: Type.String({ description: `One of ${FILE_FORMATS.join(', ')}.` }),
  payouts: Type.Integer({ description: 'Number of payouts.' }),
  amount: Type.Number({ description: 'Control sum.' }),
  open: Type.Integer({ description: 'Payouts that the bank has not reported yet.' }),
  confirmed: Type.Integer(),
  failed: Type.Integer(),
  settledByHand: Type.Integer({
    description: 'Of those confirmed or failed: settled by hand, not by a report.',
  }),
  blockedBy: nullable('string', {
    description: `Why it cannot be downloaded: ${FILE_BLOCKS.join(', ')}. Null: it can.`,
  }),
  executionDate: Type.String({ description: 'Requested execution date, a business day.' }),
  sha256: Type.String({ description: 'Of the file as downloaded, in hexadecimal.' }),
  createdBy: Type.String(),
  createdAt: Type.String(),
  downloadedBy: nullable('string', { description: 'Who downloaded it first.' }),
  downloadedAt: nullable('string'),
  notDeliveredBy: nullable('string', { description: 'Who marked it as not delivered.' }),
  notDeliveredAt: nullable('string'),
  bankConfirmation: nullable('string', { description: 'How the bank confirmed that.' }),
}

export const PayoutFileBody = named('PayoutFile', FileFields)
export const PayoutFileDetailBody = named('PayoutFileDetail', {
  ...FileFields,
  failureRequest: OpenFailure,
})

export function presentPayoutFile(file: PayoutFile) {
  const { reference, amountKobo, downloadedAt, notDeliveredAt, ...rest } = file
  return {
    ...rest,
    id: reference,
    amount: toNaira(amountKobo),
    open: file.payouts - file.confirmed - file.failed,
    createdAt: timestamp(file.createdAt),
    downloadedAt: downloadedAt && timestamp(downloadedAt),
    notDeliveredAt: notDeliveredAt && timestamp(notDeliveredAt),
  }
}

export function checkedFileId({ id }: { id: string }): string {
  if (!isFileReference(id)) throw new Refusal('payout_file_not_found')
  return id
}

const ResultProblem = named('PayoutResultProblem', {
  line: Type.Integer({ description: 'Line of a CSV; statement of a pain.002, from 1.' }),
  reference: nullable('string', { description: 'Payout it is about. Null: a file, or nothing.' }),
  status: Type.String({ description: 'As the bank wrote it.' }),
  problem: Type.String({ description: `One of ${Object.keys(PROBLEMS).join(', ')}.` }),
  message: Type.String(),
})

export const PayoutResultsBody = named('PayoutResults', {
  confirmed: Type.Integer({ description: 'Payouts that the bank paid.' }),
  failed: Type.Integer({ description: 'Payouts that the bank rejected.' }),
  pending: Type.Integer({ description: 'Payouts still in progress at the bank.' }),
  unchanged: Type.Integer({ description: 'Payouts reported before, with the same outcome.' }),
  problems: Type.Array(ResultProblem, { description: 'Lines that changed nothing, and why.' }),
})

export function presentResults({ results, pending, unchanged, problems }: Judgement) {
  const count = (wanted: string) => results.filter(({ status }) => status === wanted).length
  return {
    confirmed: count('confirmed'),
    failed: count('failed'),
    pending,
    unchanged,
    problems: problems.map(({ fileReference: _, ...each }) => ({
      ...each,
      message: PROBLEMS[each.problem],
    })),
  }
}
