import { CliError } from '../ground/cli-error.ts'
import { EXIT } from '../ground/exit-code.ts'
import type { Parts, ViewName } from '../ground/parts.ts'
import { bundleNamed, type ListedBundle, listBundles } from './bundles.ts'
import type { Library } from './library-call.ts'
import { isLoopback } from './loopback.ts'
import { workspacesOf } from './named-workspace.ts'

/** Refuse a bundle that a server without accounts does not have. Any other server tells this client nothing about bundles,
 * and the approver sees whether there is one.
 * @throws CliError usage: there is none; with the nearest name */
export async function requireKnownBundle(
  { server, bundle, view }: { server: string; bundle: string | null; view: ViewName },
  parts: Parts,
): Promise<void> {
  if (bundle === null || !isLoopback(new URL(server).hostname)) return
  const library = { server, workspace: null, view }
  try {
    const bundles = await listBundles({ library, parts })
    if (!bundles.some(({ id, name }) => id === bundle || name === bundle)) {
      bundleNamed([...bundles, ...(await bundlesElsewhere(library, parts))], bundle)
    }
  } catch (error) {
    // A refusal: people sign in there.
    if (!(error instanceof CliError) || error.exitCode === EXIT.usage) throw error
  }
}

async function bundlesElsewhere(library: Library, parts: Parts): Promise<ListedBundle[]> {
  const workspaces = await workspacesOf(library, parts)
  const lists = workspaces.map((workspace) => listBundles({ library: { ...library, workspace }, parts }))
  return (await Promise.all(lists)).flat()
}
