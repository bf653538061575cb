import { useEffect, useState } from 'react'
import { call } from '../calls/call.ts'
import { enterWorkspace, pageWorkspace, workspacePath } from '../calls/workspace.ts'
import { keepText, keptText } from '../page/kept.ts'
import { useTenants } from './me.ts'

// The workspace that this browser opened last, also after a new sign-in.
const LAST = 'keyferry.last-workspace'

/** The workspace of this page. An address without one gets the workspace that was opened last, where
 * `isNeeded`.
 * `isMember` is true until the server says otherwise, so that the page does not wait for it. */
export function useWorkspace(isNeeded: boolean) {
  const tenants = useTenants()
  const [id, setId] = useState(pageWorkspace)
  const list = tenants.data
  const last = keptText(LAST)
  const current =
    list?.find((tenant) => tenant.id === last) ?? list?.find((tenant) => tenant.current) ?? list?.[0]
  useEffect(() => {
    if (id !== null || !isNeeded || current === undefined) return
    enterWorkspace(current.id)
    setId(current.id)
  }, [id, isNeeded, current])
  return {
    id,
    isMember: list === undefined || list.some((tenant) => tenant.id === id),
    hasNone: list?.length === 0,
    query: tenants,
  }
}

/** Open a workspace in this tab, and make it the one that addresses without a workspace lead to. Other tabs stay. */
export async function openWorkspace(id: string): Promise<void> {
  keepText(LAST, id)
  try {
    await call('switchTenant', { tenant_id: id })
  } finally {
    // The page that opens says what is wrong, if anything is.
    location.assign(workspacePath(id))
  }
}
