import { isProduction } from '@keyferry/contract/production'
import { EnvChip } from '../../../ui/env-chip.tsx'
import type { EnvironmentColumn } from './environments.ts'

/** A column's name in its colour; of another application, the whole name. */
export function EnvironmentChip({ bundle }: { bundle: EnvironmentColumn }) {
  const { name, label } = bundle
  const isBeside = label === name && name.includes('/')
  return <EnvChip name={label} isProduction={isProduction(bundle)} isMention={isBeside} />
}
