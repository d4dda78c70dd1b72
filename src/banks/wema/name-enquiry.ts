// Wema's name enquiry.

import type { NameEnquiryFormat } from '#banks/connector.ts'

export const nameEnquiry: NameEnquiryFormat = {
  field: 'accountnumber',
  answer: ({ accountName }) => ({
    accountname: accountName ?? '',
    status: accountName === null ? '07' : '00',
    status_desc: accountName === null ? 'account number not found' : 'account number found',
  }),
}
