// Password rules: a minimum length, and no common password. There are no composition rules: they
// make passwords harder to remember, not harder to guess.

export const PASSWORD_LENGTH_MIN = 12
export const PASSWORD_LENGTH_MAX = 200
const DIFFERENT_CHARACTERS_MIN = 5
const RUN_LENGTH_MIN = 4
const REST_LENGTH_MIN = 6

// Compared after extractLetters: digits and signs are read as letters or dropped.
const COMMON = new Set(
  `password passwort passphrase secret welcome login letmein admin administrator root user guest
   test testing changeme default master monkey dragon sunshine princess football baseball iloveyou
   superman batman trustno qwerty qwertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm abc abcdef whatever
   shadow michael jesus jesuschrist godisgood godisgreat blessed blessing nigeria naija lagos abuja
   arsenal chelsea manchester liverpool money payment account bank banking naira sandbox
   manilla dashboard company business internet computer samsung google facebook`.split(/\s+/),
)

const KEYBOARD = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm', 'abcdefghijklmnopqrstuvwxyz']
const RUNS = KEYBOARD.flatMap((row) => [row, [...row].reverse().join('')])
const LOOKALIKES: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

export function passwordProblem(password: string, email: string): string | null {
  const characters = [...password.normalize('NFKC')]
  if (characters.length < PASSWORD_LENGTH_MIN) {
    return `Must have at least ${PASSWORD_LENGTH_MIN} characters.`
  }
  if (characters.length > PASSWORD_LENGTH_MAX) {
    return `Must have at most ${PASSWORD_LENGTH_MAX} characters.`
  }
  if (!password.isWellFormed() || /\p{Cc}/u.test(password)) {
    return 'Must be without control characters.'
  }
  const text = characters.join('').toLowerCase()
  if (isEmail(text, email.toLowerCase())) return 'Must not be made of your email address.'
  return isTrivial(text)
    ? 'Is too easy to guess: choose several words that do not belong together.'
    : null
}

// True for the address, its local part or its domain with few other characters.
function isEmail(text: string, email: string): boolean {
  const [name = '', domain = ''] = email.split('@')
  const parts = [email, name, domain, domain.split('.')[0] as string]
  return parts.some((part) => part.length >= 3 && lengthWithout(text, part) < REST_LENGTH_MIN)
}

function isTrivial(text: string): boolean {
  if (new Set(text).size < DIFFERENT_CHARACTERS_MIN) return true
  if ([text, ...extractLetters(text)].some((letters) => COMMON.has(unrepeated(letters))))
    return true
  return withoutRuns(text).length < REST_LENGTH_MIN
}

// Returns two readings: the inner digits and signs read as letters, and all of them dropped.
function extractLetters(text: string): string[] {
  const inside = text.replace(/^\P{L}+|\P{L}+$/gu, '')
  const read = [...inside].map((character) => LOOKALIKES[character] ?? character).join('')
  return [read, text].map((each) => each.replace(/\P{L}/gu, ''))
}

function unrepeated(text: string): string {
  return /^(.+?)\1+$/u.exec(text)?.[1] ?? text
}

function lengthWithout(text: string, part: string): number {
  return text.replaceAll(part, '').length
}

function withoutRuns(text: string): string {
  let rest = ''
  for (let at = 0; at < text.length; ) {
    const length = runLength(text, at)
    if (length < RUN_LENGTH_MIN) rest += text[at]
    at += length < RUN_LENGTH_MIN ? 1 : length
  }
  return rest
}

function runLength(text: string, at: number): number {
  let length = 1
  while (
    at + length < text.length &&
    RUNS.some((row) => row.includes(text.slice(at, at + length + 1)))
  ) {
    length++
  }
  return length
}
