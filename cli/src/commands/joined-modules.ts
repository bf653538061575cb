import type { Command, CommandGroups } from '../command-line/command.ts'
import type { RunOption } from '../delivery/run-option.ts'
import * as modules from './modules.ts'

type ClientModule = { readonly commands?: CommandGroups; readonly runOption?: RunOption }

const MODULES = Object.values<ClientModule>(modules)

export const RUN_OPTIONS: readonly RunOption[] = MODULES.flatMap(({ runOption }) => runOption ?? [])

/** The commands of modules in a group of help. */
export function moduleCommands(group: string): readonly Command[] {
  return MODULES.flatMap(({ commands }) => commands?.[group] ?? [])
}
