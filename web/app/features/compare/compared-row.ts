import type { ComparedCell, ComparedRow, Key } from '../../lib/calls/answers.ts'

/** `missing`: a bundle lacks the name · `shared`: all deliver the same key · `own`: they do not. */
export function stateOf({ cells }: ComparedRow): ComparedCell['state'] {
  if (cells.some(({ state }) => state === 'missing')) return 'missing'
  const [first] = cells
  const isShared = cells.every(({ state, key_id }) => state === 'shared' && key_id === first?.key_id)
  return isShared ? 'shared' : 'own'
}

/** The names that a bundle lacks, each with the first of the others that has a key for it which the person may put into
 * another bundle. */
export function copiesTo(
  bundleId: string,
  rows: readonly ComparedRow[],
  keys: readonly Pick<Key, 'id' | 'may_show'>[],
) {
  const showable = new Set(keys.flatMap(({ id, may_show }) => (may_show ? [id] : [])))
  return rows.flatMap(({ name, cells }) => {
    const lacks = cells.some((cell) => cell.bundle_id === bundleId && cell.state === 'missing')
    const [source] = cells.flatMap(({ bundle_id: from, key_id: keyId }) =>
      keyId !== null && showable.has(keyId) ? [{ name, from, keyId }] : [],
    )
    return lacks && source !== undefined ? [source] : []
  })
}
