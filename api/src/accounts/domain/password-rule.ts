import { DomainError } from '../../domain/base/errors.ts'

/** Of 0 to 4: from here on a password takes more than 10^8 guesses. */
const LEAST_SCORE = 3
/** Longer passwords are judged by their beginning, so that none takes long to judge. */
const JUDGED_LENGTH = 64

/** Refuse passwords that attackers try first: common ones, keyboard rows, repetitions, dates, the person's own e-mail.
 * @throws DomainError invalid */
export async function requireStrongPassword(password: string, email: string): Promise<void> {
  const judge = await loadedJudge()
  const own = [email, ...email.split('@'), ...email.split(/[@.]/), 'keyferry']
  if (judge(password.slice(0, JUDGED_LENGTH), own).score >= LEAST_SCORE) return
  const message = 'password is too easy to guess: use a few words that do not belong together'
  throw new DomainError('invalid', message, { details: { field: 'password' } })
}

// The dictionaries take some 25 MB, so they are loaded only when someone chooses a password.
async function loadedJudge() {
  const [{ zxcvbn, zxcvbnOptions }, common] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  zxcvbnOptions.setOptions({ dictionary: common.dictionary, graphs: common.adjacencyGraphs })
  return zxcvbn
}
