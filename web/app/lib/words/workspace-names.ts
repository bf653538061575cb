const ID_SHOWN = 8

/** Workspaces as lists show them. Names need not be unique, and anyone can invite a person to a workspace of any name:
 * equal names get the end of the id, which the address of the workspace has too. An id begins with the time. */
export function withDistinctNames<T extends { id: string; name: string }>(workspaces: readonly T[]): T[] {
  const counts = new Map<string, number>()
  for (const { name } of workspaces) counts.set(folded(name), (counts.get(folded(name)) ?? 0) + 1)
  return workspaces.map((workspace) => {
    const { id, name } = workspace
    const isUnique = counts.get(folded(name)) === 1
    return isUnique ? workspace : { ...workspace, name: `${name} (${id.slice(-ID_SHOWN)})` }
  })
}

function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ')
}
