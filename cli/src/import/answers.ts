import { refusedAnswer } from '../ground/cli-error.ts'
import { isObject } from '../ground/json-object.ts'

// By hand instead of by the contract's schemas, whose library is four times as large as the rest of the client.

export type NamedId = { readonly id: string; readonly name: string }

export type KeyAnswer = NamedId & {
  readonly value: string
  readonly isSecret: boolean
  /** Bundles that use it. */
  readonly bundles: number
}

/** The entries of a list of things with id and name.
 * @throws CliError refused: the answer is something else */
export function readNamedIds(answer: unknown): readonly NamedId[] {
  return listOf(answer).map(readNamedId)
}

/** @throws CliError refused: the answer is something else */
export function readNamedId(answer: unknown): NamedId {
  const { id, name } = isObject(answer) ? answer : {}
  if (typeof id === 'string' && typeof name === 'string') return { id, name }
  throw unknownAnswer()
}

/** The keys of the library.
 * @throws CliError refused: the answer is something else */
export function readKeys(answer: unknown): readonly KeyAnswer[] {
  return listOf(answer).map((entry) => {
    const { value, is_secret, used_in_bundles } = isObject(entry) ? entry : {}
    if (typeof value !== 'string' || typeof is_secret !== 'boolean' || typeof used_in_bundles !== 'number') {
      throw unknownAnswer()
    }
    return { ...readNamedId(entry), value, isSecret: is_secret, bundles: used_in_bundles }
  })
}

function listOf(answer: unknown): readonly unknown[] {
  if (Array.isArray(answer)) return answer
  throw unknownAnswer()
}

export function unknownAnswer(options?: ErrorOptions): Error {
  const what = 'the answer of the server is not what Keyferry knows; are their versions far apart?'
  return refusedAnswer(what, options)
}
