import { type EnvironmentKind, environmentKind, environmentOf } from '@keyferry/contract/siblings'
import { classNames } from './class-names.ts'

const LOOKS: Readonly<Record<EnvironmentKind, string>> = {
  dev: 'env-dev',
  staging: 'env-staging',
  prod: 'env-prod',
}

type EnvChipProps = {
  /** A bundle, or an environment: `prod`, or `prod/eu/` where its name has folders. */
  name: string
  /** As the server says; else the name says it. */
  isProduction?: boolean
  /** It is only named here: production in soft red. */
  isMention?: boolean
}

/** The environment in its colour; a mention has the whole name. */
export function EnvChip({ name, isProduction, isMention = false }: EnvChipProps) {
  const environment = environmentOf(name) || name
  const kind = environmentKind(name, isProduction)
  const look = kind === 'prod' && isMention ? 'env-mention' : kind && LOOKS[kind]
  return (
    <span translate="no" className={classNames('env', look ?? undefined)}>
      {isMention ? name : environment}
    </span>
  )
}
