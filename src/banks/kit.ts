// What a connector may import: here as #banks/kit.ts, in a package as manilla/kit. A change that breaks
// packages raises KIT_VERSION in connector-packages.ts.

export { nameEnquiry } from '#banks/manilla/name-enquiry.ts'
export { formatKobo, type Kobo, kobo, toNaira } from '#money.ts'
export { watDay, watTime } from '#wat-time.ts'
export { type BankHttp, type BankRequest, findBankHttp } from './bank-http.ts'
export type {
  AccountReservation,
  AuthenticationResult,
  BankCalls,
  BankConnection,
  CallOptions,
  ChangeAnswer,
  ConnectedBank,
  Connector,
  Mode,
  NameAnswer,
  NameEnquiryFormat,
  NoAnswer,
  PayoutAnswer,
  PayoutInstruction,
  RailCall,
  ReservationAnswer,
  TransferAnswer,
  TransferListAnswer,
} from './connector.ts'
export type { ConnectorSettings } from './connector-settings.ts'
export {
  type CreditFields,
  checkCredit,
  cleanText,
  keptRejection,
  rejection,
} from './credit-fields.ts'
export { bankCodeByName, findBank, providerCode } from './directory.ts'
export { isObject, objectIn, readNestedJson } from './json-body.ts'
export {
  type Ask,
  asking,
  askingWithToken,
  inTurn,
  type JsonAnswer,
  messageOf,
  nameNotFound,
  noAnswer,
  payoutNotFound,
  payoutUnanswered,
} from './json-calls.ts'
export { isText, jsonNotification, signedValue } from './json-notifications.ts'
export {
  type Acknowledgement,
  type CreditIdentifier,
  type NotificationFormat,
  onlyFormat,
  type ParsedItem,
  type PayoutEvent,
} from './notifications.ts'
export { isSecretEqual, singleHeader } from './secret-equality.ts'
export { isNipSessionId } from './session-id.ts'
