import type { ComparedCell, ComparedRow } from '../../lib/calls/answers.ts'

/** `missing`: a bundle lacks the name · `shared`: all deliver the same key · `own`: they do not. */
export function stateOf({ cells }: ComparedRow): ComparedCell['state'] {
  if (cells.some(({ state }) => state === 'missing')) return 'missing'
  const [first] = cells
  const isShared = cells.every(({ state, key_id }) => state === 'shared' && key_id === first?.key_id)
  return isShared ? 'shared' : 'own'
}

/** The names that a bundle lacks, each with the first of the others that has a key for it. */
export function copiesTo(bundleId: string, rows: readonly ComparedRow[]) {
  return rows.flatMap(({ name, cells }) => {
    const lacks = cells.some((cell) => cell.bundle_id === bundleId && cell.state === 'missing')
    const [source] = cells.flatMap(({ bundle_id: from, key_id: keyId }) =>
      keyId === null ? [] : [{ name, from, keyId }],
    )
    return lacks && source !== undefined ? [source] : []
  })
}
