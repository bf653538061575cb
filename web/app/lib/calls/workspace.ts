const IN_ADDRESS = /^\/w\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=\/|$)/

// Switching workspaces loads a new document, so that a call that began in one workspace cannot end in another.
let ofPage = workspaceIn(globalThis.location?.pathname)

// What the contract calls WORKSPACE_HEADER; imported, it would bring the contract's schemas to the browser.
export const WORKSPACE_HEADER = 'keyferry-workspace'

/** The id of the workspace that this page works in; null where the address names none. */
export function pageWorkspace(): string | null {
  return ofPage
}

/** The workspace that an address of the app names, or null. */
export function workspaceIn(pathname: string): string | null {
  return IN_ADDRESS.exec(pathname)?.[1] ?? null
}

/** The address of a page of a workspace. */
export function workspacePath(id: string, path = '/'): string {
  return `/w/${id}${path}`
}

/** Put a workspace into an address that names none; the page works in it from then on. */
export function enterWorkspace(id: string): void {
  if (ofPage !== null) return
  ofPage = id
  const { pathname, search, hash } = location
  history.replaceState(history.state, '', workspacePath(id, pathname + search + hash))
}
