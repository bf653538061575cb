import type { ReactNode } from 'react'
import * as modules from './modules.ts'

type PageModule = {
  pages: readonly {
    path: string
    page: (params: Readonly<Record<string, string | undefined>>) => ReactNode
  }[]
  /** Stands on the page of the workspace's settings. */
  WorkspaceSection?: () => ReactNode
  /** Stands on the page of the person's account. */
  AccountSection?: () => ReactNode
}

/** What optional modules add to the pages. */
export const PAGE_MODULES = Object.values<PageModule>(modules)
