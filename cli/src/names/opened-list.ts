import type { KeyPair } from '@keyferry/crypto/key-pair'
import { openBox } from '../delivery/open-box.ts'
import { refusedAnswer } from '../ground/cli-error.ts'
import { isObject, parseObject } from '../ground/json-object.ts'
import { type Listed, readBundle, readName } from '../server/bundles.ts'
import type { Named } from '../server/wait-answer.ts'

/** What an approver let this terminal list. `leftOut`: bundles whose rules do not allow it. */
export type OpenedList = Listed & {
  readonly bundle: Named | null
  readonly workspace: Named
  readonly leftOut: number
}

/** Open a sealed list, and check that it is what was asked for: the names of a bundle, or bundles.
 * @throws CliError refused */
export function openList(
  ciphertextBase64: string,
  { keyPair, asksForBundle }: { keyPair: KeyPair; asksForBundle: boolean },
): OpenedList {
  const list = parseObject(openBox(ciphertextBase64, keyPair)) ?? {}
  if (list['v'] !== 1 || list['kind'] !== 'names') throw noList()
  const { bundle, workspace, names, bundles, left_out: leftOut } = list
  if (!isNamed(workspace) || !Array.isArray(names) || !Array.isArray(bundles)) throw noList()
  if (asksForBundle ? !isNamed(bundle) : bundle !== null) throw noList()
  return {
    bundle: isNamed(bundle) ? bundle : null,
    workspace,
    names: names.map(readName),
    bundles: bundles.map(readBundle),
    leftOut: typeof leftOut === 'number' ? leftOut : 0,
  }
}

function isNamed(value: unknown): value is Named {
  return isObject(value) && typeof value['id'] === 'string' && typeof value['name'] === 'string'
}

function noList(): Error {
  return refusedAnswer('the server sent another list than the requested one')
}
