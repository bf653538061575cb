import { isProduction } from '@keyferry/contract/production'
import { environmentOf, siblingsOf } from '@keyferry/contract/siblings'
import { Link } from 'wouter'
import type { Bundle } from '../../lib/calls/answers.ts'
import { useAnswer, useAnswers } from '../../lib/calls/use-call.ts'
import { classNames } from '../../ui/class-names.ts'

type EnvironmentPlace = { id: string; name: string }
type EnvironmentKey = { bundle: Bundle; keyId: string; note: string }

/** The environments of an application that deliver a variable, each with its key. */
export function EnvironmentTabs({ variable, bundle }: { variable: string; bundle: EnvironmentPlace }) {
  const tabs = useTabs(variable, bundle)
  if (tabs.length < 2) return null
  return (
    <nav
      aria-label="Environment"
      className="mb-4 flex w-fit max-w-full gap-0.5 overflow-x-auto rounded-md bg-sunken p-0.5 max-sm:w-full"
    >
      {tabs.map((tab) => (
        <EnvironmentTab key={tab.bundle.id} tab={tab} isHere={tab.bundle.id === bundle.id} />
      ))}
    </nav>
  )
}

function EnvironmentTab({ tab: { bundle, keyId, note }, isHere }: { tab: EnvironmentKey; isHere: boolean }) {
  const environment = environmentOf(bundle.name)
  const isRed = isHere && isProduction(bundle)
  return (
    <Link
      href={`/keys/${keyId}?bundle=${bundle.id}`}
      aria-current={isHere ? 'page' : undefined}
      className={classNames(
        'inline-flex min-h-8 sm:px-3 items-center justify-center gap-2 rounded-md px-2 whitespace-nowrap -outline-offset-2 max-sm:flex-1',
        isRed && 'bg-danger-fill text-on-danger',
        isHere && !isRed && 'bg-surface shadow-hairline',
        !isHere && 'text-ink-soft hover:text-ink',
      )}
    >
      <b className="font-semibold">{environment}</b>
      <span className={classNames('text-xs', !isHere && 'text-ink-soft')}>{note}</span>
    </Link>
  )
}

function useTabs(variable: string, bundle: EnvironmentPlace): EnvironmentKey[] {
  const siblings = siblingsOf(bundle.name, useAnswer('listBundles', {}).data ?? [])
  const bundle_id = siblings.map(({ id }) => id)
  const enabled = bundle_id.length > 1
  const { rows = [] } = useAnswer('compareBundles', { bundle_id }, { enabled }).data ?? {}
  const cells = rows.find(({ name }) => name === variable)?.cells ?? []
  const placed = siblings.flatMap((sibling) => {
    const keyId = cells.find(({ bundle_id: at }) => at === sibling.id)?.key_id
    return typeof keyId === 'string' ? [{ bundle: sibling, keyId }] : []
  })
  const keys = useAnswers(
    'getKey',
    [...new Set(placed.map(({ keyId }) => keyId))].map((key_id) => ({ key_id })),
  )
  return placed.map(({ bundle: at, keyId }) => {
    const first = placed.find((other) => other.keyId === keyId)
    const version = keys.find(({ id }) => id === keyId)?.version
    const isFirst = first?.bundle.id === at.id
    const note = isFirst ? `v${version ?? '…'}` : `= ${environmentOf(first?.bundle.name ?? '')}`
    return { bundle: at, keyId, note }
  })
}
