// Five calls with the client that orval generates. Prints what they returned.

import {
  createAdvice,
  createCollectionAccount,
  initiateBankTransfer,
  listCollectionAccounts,
  login,
} from './client.ts'

// Narrows a response to that of a success, as its type has one variant for each status.
function successOf<T extends { status: number }>(response: T): Extract<T, { status: 200 }> {
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  return response as Extract<T, { status: 200 }>
}

const credentials = { clientId: 'MAN0000001', clientSecret: 'sandbox-secret' }
const token = successOf(await login(credentials)).data.access_token
const options = { headers: { authorization: `Bearer ${token}` } }
const account = await createCollectionAccount(
  {
    accountName: 'Ada Obi',
    bvn: '22212345654',
    email: 'ada@example.com',
    merchantId: '42',
    merchantCode: 'SHOP',
    notificationUrl: 'https://shop.example.com/hooks',
    phoneNumber: '+2348012345678',
    channel: 'API',
  },
  options,
)
const advice = await createAdvice(
  {
    amount: 1234567.89,
    customer: { customerFirstName: 'Ada' },
    callBackUrl: 'https://shop.example.com/done',
  },
  options,
)
const { adviceReference } = successOf(advice).data.responseData
const payment = await initiateBankTransfer(adviceReference, { bankCode: '035' }, options)
const accounts = await listCollectionAccounts({ active: true, limit: 1 }, options)
const { amount, bankAccount } = successOf(payment).data.responseData
console.log(
  JSON.stringify({
    created: successOf(account).data.data.id,
    listed: successOf(accounts).data.data[0]?.id,
    amount,
    number: bankAccount,
  }),
)
