// A connector to copy (docs/adding-a-bank.md): "Example Bank", which signs the raw body. The sandbox
// accepts it and the conformance suite runs it, so that copies work.
//
// The six questions are numbered here and in the files beside this one.

import { createHmac } from 'node:crypto'
import { type Connector, isSecretEqual, nameEnquiry, onlyFormat, singleHeader } from '#banks/kit.ts'
import { templateCalls } from './calls.ts'
import { templateFormat } from './notifications.ts'

export const templateConnector: Connector = {
  name: 'template',
  // True for a token that is the same in every call. Live mode then requires settings.allow or
  // settings.mutualTls, which no connector has to check itself.
  needsKnownSource: false,
  connect(settings, { mode }) {
    const signingKey = settings.requireSecret('signingKey')
    const calls = templateCalls(settings, mode)
    return {
      // 1. How is a call authenticated? Check the raw bytes, always with isSecretEqual. Refuse a header that
      // is missing or comes twice.
      authenticate: ({ headers, rawBody }) => {
        const signature = singleHeader(headers['x-template-signature']) ?? ''
        const expected = createHmac('sha256', signingKey).update(rawBody).digest('hex')
        return isSecretEqual(signature.toLowerCase(), expected) ? 'ok' : 'invalid_signature'
      },
      // signsFieldsOnly: true, for a bank whose signature covers named fields rather than the body. Read
      // them with signedValue, and let one of them identify the credit (isRequired).
      // 2. How does a body become credits, and how is it acknowledged? See notifications.ts.
      findFormat: onlyFormat(templateFormat),
      // Only for a bank that asks us for names: the field of its request, and our answer.
      nameEnquiry,
      calls,
    }
  },
}
