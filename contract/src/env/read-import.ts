import type { Dialect } from './dialects.ts'
import { EnvError } from './env-error.ts'
import type { Grammar } from './grammar.ts'
import { composeGrammar } from './grammars/compose.ts'
import { dotenvGrammar } from './grammars/dotenv.ts'
import { shellGrammar } from './grammars/shell.ts'
import { isKeyName } from './names.ts'
import { type EnvEntry, type EnvText, readEnv } from './read-env.ts'
import { readJson } from './read-json.ts'
import { valueProblem } from './values.ts'

const GRAMMARS: Readonly<Record<Dialect, Grammar>> = {
  dotenv: dotenvGrammar,
  shell: shellGrammar,
  compose: composeGrammar,
}

/** Read what a person imports: JSON if it begins with `{`, otherwise ENV text in the dialect.
 * @returns each name once, with its last value, where it was last assigned */
export function readImport(text: string, dialect: Dialect): EnvText {
  const read = /^[\s\ufeff]*\{/.test(text) ? readJson(text) : readEnv(text, GRAMMARS[dialect])
  const fitting: EnvEntry[] = []
  const problems = [...read.problems]
  for (const entry of read.entries) {
    const problem = problemOf(entry)
    if (problem === null) fitting.push(entry)
    else problems.push(new EnvError(problem, { line: entry.line }))
  }
  const { entries, notes } = lastOfEach(fitting)
  const inOrder = problems.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
  return { entries, notes: [...read.notes, ...notes], problems: inOrder }
}

function problemOf({ name, value }: EnvEntry): string | null {
  if (!isKeyName(name)) return 'a name consists of up to 255 letters, digits and _'
  const problem = valueProblem(value)
  return problem === null ? null : `the value of ${name} ${problem}`
}

function lastOfEach(all: readonly EnvEntry[]): Pick<EnvText, 'entries' | 'notes'> {
  const entries = new Map<string, EnvEntry>()
  const notes: string[] = []
  for (const entry of all) {
    if (entries.delete(entry.name))
      notes.push(`line ${entry.line}: ${entry.name} is set again; the last value counts`)
    entries.set(entry.name, entry)
  }
  return { entries: [...entries.values()], notes }
}
