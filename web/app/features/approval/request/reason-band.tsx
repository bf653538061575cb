import type { ReactNode } from 'react'
import { classNames } from '../../../ui/class-names.ts'
import { Names } from '../shown-names.tsx'

/** Why a person should look twice: texts by name, the worst first. `production`: the bundles of production that the
 * approval concerns. */
export type Reasons = {
  production: readonly string[]
  dangers: Readonly<Record<string, ReactNode>>
  cautions?: Readonly<Record<string, ReactNode>>
}

const isReason = ([, text]: [string, ReactNode]) => text !== false && text !== null && text !== undefined

/** The names of what makes an approval dangerous. */
export function dangerNames({ production, dangers }: Reasons): string[] {
  return [...production, ...Object.entries(dangers).flatMap((entry) => (isReason(entry) ? [entry[0]] : []))]
}

/** All reasons in one band; nothing where there are none. */
export function ReasonBand(reasons: Reasons) {
  const { production, dangers, cautions = {} } = reasons
  const isDanger = dangerNames(reasons).length > 0
  const shown = [...Object.entries(dangers), ...Object.entries(cautions)].filter(isReason)
  if (!isDanger && shown.length === 0) return null
  return (
    <div
      {...(isDanger ? { role: 'alert' } : {})}
      className={classNames(
        'space-y-1.5 overflow-clip rounded-md border px-3 py-2.5 text-sm',
        isDanger ? 'border-danger bg-danger-soft' : 'border-caution bg-caution-soft',
      )}
    >
      {production.length > 0 && (
        <p>
          <strong className="font-bold text-danger">PRODUCTION</strong> <Names names={production} />
        </p>
      )}
      {shown.map(([id, text]) => (
        <div key={id}>{text}</div>
      ))}
    </div>
  )
}
