// The name enquiry of our own API.

import type { NameEnquiryFormat } from '#banks/connector.ts'

export const nameEnquiry: NameEnquiryFormat = {
  field: 'accountNumber',
  answer: ({ accountNumber, accountName, kycLevel }) => ({
    accountNumber,
    accountName,
    kycLevel,
    responseCode: accountName === null ? '07' : '00',
  }),
}
