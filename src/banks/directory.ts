// The banks we know by name. A bank that is missing here can still pay in: only its name, and its
// code where a notification gives nothing but the name, stay unknown.
//
// `nipCode` is the bank's institution code on the NIP rail, another numbering than `code`.

export type Bank = { code: string; name: string; nipCode?: string; otherNames?: readonly string[] }

export const BANKS: readonly Bank[] = [
  {
    code: '011',
    name: 'First Bank of Nigeria',
    nipCode: '000016',
    otherNames: ['FirstBank', 'FBN'],
  },
  { code: '023', name: 'Citibank Nigeria' },
  { code: '032', name: 'Union Bank of Nigeria' },
  { code: '033', name: 'United Bank for Africa', nipCode: '000004', otherNames: ['UBA'] },
  { code: '035', name: 'Wema Bank', nipCode: '000017', otherNames: ['Wema Bank (ALAT)'] },
  { code: '044', name: 'Access Bank', nipCode: '000014', otherNames: ['Access Bank (Diamond)'] },
  { code: '050', name: 'Ecobank Nigeria', otherNames: ['Eco Bank'] },
  { code: '057', name: 'Zenith Bank', nipCode: '000015' },
  { code: '058', name: 'Guaranty Trust Bank', nipCode: '000013', otherNames: ['GTBank', 'GTB'] },
  { code: '068', name: 'Standard Chartered Bank' },
  { code: '070', name: 'Fidelity Bank' },
  { code: '076', name: 'Polaris Bank' },
  { code: '082', name: 'Keystone Bank' },
  { code: '101', name: 'Providus Bank', nipCode: '000023' },
  { code: '214', name: 'First City Monument Bank', otherNames: ['FCMB'] },
  { code: '215', name: 'Unity Bank' },
  { code: '221', name: 'Stanbic IBTC Bank', otherNames: ['Stanbic'] },
  { code: '232', name: 'Sterling Bank', nipCode: '000001' },
  { code: '301', name: 'Jaiz Bank' },
  { code: '50211', name: 'Kuda Microfinance Bank' },
  { code: '50515', name: 'Moniepoint Microfinance Bank' },
]

// Words that one bank's name comes with or without ("GTBANK PLC", "KUDA MFB").
const FILLER = /\b(?:plc|limited|ltd|nigeria|nig|of|the|bank|microfinance|mfb)\b/g

const byCode = new Map(BANKS.map((bank) => [bank.code, bank]))
const byNipCode = new Map(BANKS.flatMap((bank) => (bank.nipCode ? [[bank.nipCode, bank]] : [])))
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
