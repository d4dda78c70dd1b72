// The kit: everything that a connector may import, as #banks/kit.ts in this repository and as manilla/kit in
// a package. A change that breaks packages raises KIT_VERSION in connector-packages.ts.

export { nameEnquiry } from '#banks/manilla/notifications.ts'
export { watDay, watTime } from '#clock.ts'
export { formatKobo, type Kobo, kobo, toNaira } from '#money.ts'
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
  ConnectorCalls,
  Mode,
  NameAnswer,
  NameEnquiryFormat,
  NoAnswer,
  PayoutAnswer,
  PayoutInstruction,
  PayoutReading,
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
  asNoAnswer,
  inTurn,
  type JsonAnswer,
  messageOf,
  nameNotFound,
  noAnswer,
  payoutNotFound,
  payoutUnanswered,
} from './json-calls.ts'
export {
  type Acknowledgement,
  type CreditIdentifier,
  isSecretEqual,
  isText,
  jsonNotification,
  type NotificationFormat,
  onlyFormat,
  type ParsedItem,
  type PayoutEvent,
  signedValue,
  singleHeader,
} from './notifications.ts'
export { isNipSessionId } from './nuban.ts'
