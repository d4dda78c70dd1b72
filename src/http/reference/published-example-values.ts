// The examples of the published calls and of advices, as the service answers them
// (test/http/published-examples.test.ts); as in example-values.ts. A key may also begin with the
// operation's name.

export const PAYMENT = '8f14e45f-ceea-467f-9b3d-2c1a0b9e8d7c'
export const ADVICE = '3c59dc04-8e88-5024-8be8-079a5c74d079'
export const NUMBER = '1000000015'

const CALLED_BACK = `https://shop.example.com/paid?adviceReference=${ADVICE}&paymentReference=${PAYMENT}`
const EXPIRY = '2026-11-15T11:32:07.120000+01:00'
const ACCOUNT_NAME = 'Obi Stores/Ada Obi'
const NUMBERS = [
  { bankCode: '058', bankName: 'Guaranty Trust Bank', accountNumber: NUMBER },
  { bankCode: '232', bankName: 'Sterling Bank', accountNumber: '1000000011' },
]

// Shown in no example: a split would have to exist, a payer's rules would suspend the payment of the story,
// and warnings are for mistakes.
export const OMITTED = Symbol('omitted')

export const PUBLISHED_VALUES: Readonly<Record<string, unknown>> = {
  'AdviceRequest.splitCode': OMITTED,
  'AdviceRequest.payerRules': OMITTED,
  'AccountRequest.splitCode': OMITTED,
  'AccountRequest.payerRules': OMITTED,
  'Advice.splitCode': null,
  warnings: OMITTED,
  // Collection accounts.
  'AccountRequest.banks': ['232'],
  'Account.id': 179_517_309_626_978,
  'Account.accounts': NUMBERS,
  'OwnAccount.id': 179_517_309_626_978,
  'OwnAccount.accounts': NUMBERS,
  'PayerRules.accounts': [{ accountNumber: '******0015', bankCode: '058' }],
  'Account.isDefault': false,
  'createCollectionAccount.message': 'Collection account created successfully',
  'createCollectionAccount.accountBalance': 0,
  'getCollectionAccount.message': 'Collection account retrieved successfully',

  // Advices.
  'AdviceResponse.message': 'Successful',
  'createAdvice.status': 'Pending',
  'createAdvice.paymentReference': null,
  'createAdvice.splits': [],
  'getAdvice.status': 'Paid',
  'findAdvice.status': 'Paid',
  'listAdvices.status': 'Paid',
  'extendAdvice.status': 'Pending',
  'extendAdvice.amountPaid': 0,
  'extendAdvice.splits': [],
  'cancelAdviceByAnyReference.status': 'Cancelled',
  'cancelAdviceByAnyReference.amountPaid': 0,
  'cancelAdviceByAnyReference.splits': [],
  'cancelAdvice.status': 'Cancelled',
  'cancelAdvice.paymentReference': null,
  'cancelAdvice.splits': [],

  // Payments.
  'SupportedBanksResponse.message': 'Successful',
  'SupportedBank.code': '058',
  'InitiatedPaymentResponse.message': 'Successful',
  'InitiatedPayment.bankAccount': NUMBER,
  'InitiatedPayment.status': 'Processing',
  'InitiatedPayment.message': 'Processing',
  'InitiatedPayment.amountPaid': 0,
  'InitiatedPayment.callBackUrl': CALLED_BACK,
  'InitiatedPayment.expiresAt': EXPIRY,
  'InitiatedPayment.accountName': ACCOUNT_NAME,
  'simulatePayment.amount': '6000.00',
  'SimulatedPaymentResponse.message': 'Successful',
  'SimulatedPayment.bankAccount': NUMBER,
  'SimulatedPayment.message': 'Successful',
  'SimulatedPayment.amount': 6000,
  'SimulatedPayment.callBackUrl': CALLED_BACK,
  'SimulatedPayment.expiresAt': EXPIRY,
  'SimulatedPayment.accountName': ACCOUNT_NAME,
  'SimulatedPayment.reason': null,
  'TransactionResponse.message': 'Successful',
  'Transaction.merchantCode': 'MAN0000001',
  'Transaction.amountCollected': 6000,
  'Transaction.callBackUrl': CALLED_BACK,
  'Transaction.processorCode': '058',
  'Transaction.accountNumberMasked': '******0015',
  'Transaction.env': 'Test',
  'Transaction.message': 'Successful',
  'Transaction.paymentDate': '2026-11-15T10:32:07.120000+01:00',
  'WebhookPushResponse.message': 'Successful',
  'WebhookPush.queued': 1,
}
