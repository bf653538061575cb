import type { ReactNode } from 'react'
import type { SessionState } from '../lib/calls/answers.ts'
import type { IconComponent } from '../ui/icon.tsx'
import * as modules from './modules.ts'

type ModulePage = {
  path: string
  page: (params: Readonly<Record<string, string | undefined>>) => ReactNode
}

type PageModule = {
  pages: readonly ModulePage[]
  /** Pages of a person who is signed out. */
  signedOutPages?: (session: SessionState) => readonly ModulePage[]
  /** A part of the page of an environment, at `?part=NAME`. */
  environmentPart?: {
    name: string
    label: string
    icon: IconComponent
    Part: (props: { bundleId: string }) => ReactNode
  }
  /** Who is in the log beside people; undefined until it is known. */
  useActors?: () => readonly { id: string; name: string }[] | undefined
  /** A section of the settings of the workspace. */
  WorkspaceSection?: () => ReactNode
  /** How the person signs in, in the settings of their account. */
  SignInSection?: () => ReactNode
  /** The last section of the settings of their account. */
  AccountSection?: () => ReactNode
}

/** What optional modules add to the pages. */
export const PAGE_MODULES = Object.values<PageModule>(modules)

export const ENVIRONMENT_PARTS = PAGE_MODULES.flatMap(({ environmentPart }) => environmentPart ?? [])

export const [useOtherActors = () => undefined] = PAGE_MODULES.flatMap(({ useActors }) => useActors ?? [])
