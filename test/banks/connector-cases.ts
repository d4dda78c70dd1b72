// Every connector that the conformance suite runs, in each of its configurations.

import type { ConnectorCase } from './connector-case.ts'
import { FLUTTERWAVE } from './flutterwave/conformance-case.ts'
import { ISO20022, MANILLA } from './manilla/conformance-case.ts'
import { MONNIFY } from './monnify/conformance-case.ts'
import { NOMBA } from './nomba/conformance-case.ts'
import { PAYSTACK } from './paystack/conformance-case.ts'
import { PROVIDUS } from './providus/conformance-case.ts'
import { SQUAD_BODY, SQUAD_FIELDS } from './squad/conformance-case.ts'
import { TEMPLATE } from './template/conformance-case.ts'
import { WEMA } from './wema/conformance-case.ts'

export const CONNECTOR_CASES: readonly ConnectorCase[] = [
  MANILLA,
  ISO20022,
  PROVIDUS,
  ...WEMA,
  MONNIFY,
  NOMBA,
  SQUAD_BODY,
  SQUAD_FIELDS,
  PAYSTACK,
  FLUTTERWAVE,
  TEMPLATE,
]
