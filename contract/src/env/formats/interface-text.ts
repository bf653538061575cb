import { MASK } from '../../limits.ts'
import { EnvError } from '../env-error.ts'
import { eachAs, type Format, misfits, type Variable } from '../format.ts'
import { interfaceGrammar } from '../grammars/interface.ts'
import { isAssignableName } from '../names.ts'
import { type EnvEntry, readEnv } from '../read-env.ts'
import { EVALUATED_BY_SHELLS, isWholeNumber, NUMBERS_OF_SHELLS } from '../reserved-names.ts'

// No shell gives these a meaning anywhere in an assigned value, with any options.
const BARE = /^[A-Za-z0-9_@%+,./:-]*$/

/** The text of the API's export and import: the import, and `eval` in every POSIX shell, read back what was written. */
const interfaceText: Format = {
  summary: "the text of the API's export",
  asked: '.env',
  whyNot: (name, value) => {
    if (!isAssignableName(name)) return 'no shell can assign to'
    const isEvaluated = EVALUATED_BY_SHELLS.has(name) || NUMBERS_OF_SHELLS.has(name)
    if (isEvaluated && value !== MASK && !isWholeNumber(value)) return 'shells take only a number for'
    return isStorable(value) ? null : 'no environment variable can hold the value of'
  },
  write: eachAs((name, value) => `${name}=${written(value)}\n`),
}

/** Write variables as the API exports them.
 * @returns one line each, in order, with its line end; a value with line feeds spans several
 * @throws EnvError with `names`: no shell can assign to them, or shells would evaluate the value */
export function writeEnv(variables: Iterable<Variable>): string {
  const list = [...variables]
  const wrong = misfits(interfaceText, list)
  const [first] = wrong
  if (first === undefined) return interfaceText.write(list)
  const names = wrong.filter(({ reason }) => reason === first.reason).map(({ name }) => name)
  throw new EnvError(`${first.reason}: ${names.join(', ')}`, { names })
}

/** Read text as the API imports it.
 * @returns every assignment in order; a name that is assigned twice appears twice
 * @throws EnvError for the first line that is no assignment, comment or blank line */
export function parseEnv(text: string): readonly EnvEntry[] {
  const { entries, problems } = readEnv(text, interfaceGrammar)
  const [first] = problems
  if (first) throw first
  return entries
}

function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0')
}

function written(value: string): string {
  if (BARE.test(value) || value === MASK) return value
  return `'${value.replaceAll("'", String.raw`'\''`)}'`
}
