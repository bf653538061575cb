import type { Machine } from '../../lib/calls/answers.ts'
import { serverNowMs } from '../../lib/calls/server-clock.ts'
import { useIsOwner } from '../../lib/data/me.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { warningsOf } from '../../lib/rules/machine-state.ts'
import { Notice } from '../../ui/notice.tsx'
import { GrantedBundles } from './granted-bundles.tsx'
import { Identities } from './identities/identities.tsx'
import { Knocks } from './identities/knocks.tsx'
import { type Way, wayNamed } from './identities/ways.ts'
import { Tokens } from './tokens/tokens.tsx'

/** What needs attention, what the machine may fetch, and how it proves itself. */
export function MachineOverview({ machine }: { machine: Machine }) {
  const isOwner = useIsOwner()
  const { textOf, set } = useAddressFields(['add'])
  const adding = wayNamed(textOf('add'))
  const open = (way: Way) => set('add', way)
  const close = () => set('add', '')
  return (
    <div className="space-y-8">
      <Warnings machine={machine} />
      {isOwner && <Knocks machine={machine} />}
      <GrantedBundles machine={machine} isOwner={isOwner} />
      <Identities
        machine={machine}
        isOwner={isOwner}
        adding={adding === 'token' ? null : adding}
        onAdd={open}
        onClose={close}
      />
      <Tokens
        machine={machine}
        isOwner={isOwner}
        isAdding={isOwner && adding === 'token'}
        onAdd={() => open('token')}
        onClose={close}
      />
    </div>
  )
}

function Warnings({ machine }: { machine: Machine }) {
  const warnings = warningsOf(machine, serverNowMs()).filter(({ tone }) => tone !== 'plain')
  if (warnings.length === 0) return null
  return (
    <div className="max-w-2xl space-y-2">
      {warnings.map(({ name, tone, text }) => (
        <Notice key={text} tone={tone}>
          <strong className="font-medium">{name}.</strong> {text}
        </Notice>
      ))}
    </div>
  )
}
