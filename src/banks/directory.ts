// The banks we know by name. A bank that is missing here can still pay in: only its name, and its
// code where a notification gives nothing but the name, stay unknown.
//
// `nipCode` is the bank's institution code on the NIP rail, another numbering than `code`.

export type Bank = { code: string; name: string; nipCode: string; otherNames?: readonly string[] }

export const BANKS: readonly Bank[] = [
  {
    code: '011',
    name: 'First Bank of Nigeria',
    nipCode: '000016',
    otherNames: ['FirstBank', 'FBN'],
  },
  { code: '023', name: 'Citibank Nigeria', nipCode: '000009' },
  { code: '032', name: 'Union Bank of Nigeria', nipCode: '000018' },
  { code: '033', name: 'United Bank for Africa', nipCode: '000004', otherNames: ['UBA'] },
  { code: '035', name: 'Wema Bank', nipCode: '000017', otherNames: ['Wema Bank (ALAT)'] },
  { code: '044', name: 'Access Bank', nipCode: '000014', otherNames: ['Access Bank (Diamond)'] },
  { code: '050', name: 'Ecobank Nigeria', nipCode: '000010', otherNames: ['Eco Bank'] },
  { code: '057', name: 'Zenith Bank', nipCode: '000015' },
  { code: '058', name: 'Guaranty Trust Bank', nipCode: '000013', otherNames: ['GTBank', 'GTB'] },
  { code: '068', name: 'Standard Chartered Bank', nipCode: '000021' },
  { code: '070', name: 'Fidelity Bank', nipCode: '000007' },
  { code: '076', name: 'Polaris Bank', nipCode: '000008' },
  { code: '082', name: 'Keystone Bank', nipCode: '000002' },
  { code: '101', name: 'Providus Bank', nipCode: '000023' },
  { code: '214', name: 'First City Monument Bank', nipCode: '000003', otherNames: ['FCMB'] },
  { code: '215', name: 'Unity Bank', nipCode: '000011' },
  { code: '221', name: 'Stanbic IBTC Bank', nipCode: '000012', otherNames: ['Stanbic'] },
  { code: '232', name: 'Sterling Bank', nipCode: '000001' },
  { code: '301', name: 'Jaiz Bank', nipCode: '000006' },
  { code: '50211', name: 'Kuda Microfinance Bank', nipCode: '090267' },
  { code: '50515', name: 'Moniepoint Microfinance Bank', nipCode: '090405' },
]

// Words that one bank's name comes with or without ("GTBANK PLC", "KUDA MFB").
const FILLER = /\b(?:plc|limited|ltd|nigeria|nig|of|the|bank|microfinance|mfb)\b/g

const byCode = new Map(BANKS.map((bank) => [bank.code, bank]))
const byNipCode = new Map(BANKS.map((bank) => [bank.nipCode, bank]))
const byName = new Map(
  BANKS.flatMap((bank) =>
    [bank.name, ...(bank.otherNames ?? [])].map((name) => [plainName(name), bank] as const),
  ),
)

export function findBank(code: string): Bank | undefined {
  return byCode.get(code)
}

export function findBankByNipCode(nipCode: string): Bank | undefined {
  return byNipCode.get(nipCode)
}

export function findBankByName(name: string): Bank | undefined {
  return byName.get(plainName(name))
}

// Where a notification names the payer's bank and has no code for it.
export function bankCodeByName(name: unknown): string | null {
  return typeof name === 'string' ? (findBankByName(name)?.code ?? null) : null
}

function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(FILLER, '')
    .replace(/[^a-z0-9]/g, '')
}
