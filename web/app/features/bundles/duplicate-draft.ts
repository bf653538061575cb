import { valueProblem } from '../../lib/rules/value-warnings.ts'

/** The names that get a copy, with the value typed for it; an empty text copies the value that is there. */
export type OwnValues = ReadonlyMap<string, string>

/** `own`: names whose keys are copied; `values`: names whose copies get another value. */
export function duplicateOf(name: string, own: OwnValues) {
  const typed = [...own].filter(([, value]) => value !== '')
  const copied = [...own.keys()].filter((key) => own.get(key) === '')
  return { name, own: copied, values: Object.fromEntries(typed) }
}

/** What is wrong with typed values, by name. */
export function valueProblems(own: OwnValues): ReadonlyMap<string, string> {
  const problems = [...own].map(([name, value]) => [name, valueProblem(value)] as const)
  return new Map(problems.flatMap(([name, problem]) => (problem === null ? [] : [[name, problem]])))
}
