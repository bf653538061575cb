import { CliError } from '../ground/cli-error.ts'
import type { Parts, ViewName } from '../ground/parts.ts'
import { bundleNamed, listBundles } from './bundles.ts'
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
  const bundles = await bundlesAt({ server, workspace: null, view }, parts)
  if (bundles !== null) bundleNamed(bundles, bundle)
}

/** The bundles of all workspaces; null if the server does not say. */
async function bundlesAt(
  library: Library,
  parts: Parts,
): Promise<Awaited<ReturnType<typeof listBundles>> | null> {
  try {
    const workspaces = await workspacesOf(library, parts)
    const lists = workspaces.map((workspace) => listBundles({ library: { ...library, workspace }, parts }))
    return (await Promise.all(lists)).flat()
  } catch (error) {
    if (error instanceof CliError) return null
    throw error
  }
}
