import { useState } from 'react'
import { useChange } from '../../../lib/calls/use-call.ts'
import { useMay } from '../../../lib/data/me.ts'
import type { Machine, MachineTrust } from '../../../lib/machines/answers.ts'
import { issuerName, wayNamed } from '../../../lib/machines/platforms.ts'
import { useAddressFields } from '../../../lib/page/use-address-fields.ts'
import { ago } from '../../../lib/words/time.ts'
import { exactText } from '../../../lib/words/visible-text.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { ConfirmChange } from '../../../ui/confirm-change.tsx'
import { Plus, Trash2 } from '../../../ui/icons.ts'
import { Rows, Section } from '../../../ui/section.tsx'
import { NewTrustDialog } from './new-trust-dialog.tsx'

/** The identities of other services that prove a machine; an owner adds and ends them. */
export function Identities({ machine }: { machine: Machine }) {
  const may = useMay()
  const { textOf, set } = useAddressFields<'add'>()
  const adding = wayNamed(textOf('add'))
  const { trusts } = machine
  return (
    <Section
      title="Identities"
      count={trusts.length}
      intro="The machine authenticates with an ID token of its platform. You store nothing and rotate nothing."
      action={
        may('createMachineTrust') && (
          <Button label="Add identity" size="small" onClick={() => set('add', 'github')} icon={Plus} />
        )
      }
    >
      <Rows label="Identities" none="None.">
        {trusts.map((trust) => (
          <TrustRow key={trust.id} machine={machine} trust={trust} />
        ))}
      </Rows>
      {may('createMachineTrust') && adding !== null && adding !== 'token' && (
        <NewTrustDialog key={adding} machine={machine} platform={adding} onClose={() => set('add', '')} />
      )}
    </Section>
  )
}

function TrustRow({ machine, trust }: { machine: Machine; trust: MachineTrust }) {
  const may = useMay()
  const [isEnding, setEnding] = useState(false)
  const name = issuerName(trust)
  return (
    <li className="flex items-start gap-1 py-2.5 pr-2 pl-4">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 text-sm font-medium">
          {name}
          {trust.is_broad && <Badge tone="danger">Broad</Badge>}
          {trust.binding === 'required' && <Badge tone="good">Bound to the client</Badge>}
          {trust.has_keys && <Badge>Pasted keys</Badge>}
        </p>
        <p translate="no" className="mt-0.5 font-mono text-xs text-ink [overflow-wrap:anywhere]">
          {claimsText(trust)}
        </p>
        <p className="mt-0.5 text-xs text-ink-soft">{factsOf(trust)}</p>
      </div>
      {may('endMachineTrust') && (
        <IconButton
          label={`End the identity ${name}, ${claimsText(trust)}`}
          onClick={() => setEnding(true)}
          icon={Trash2}
        />
      )}
      {isEnding && <EndTrustDialog machine={machine} trust={trust} onClose={() => setEnding(false)} />}
    </li>
  )
}

function claimsText({ claims }: MachineTrust): string {
  return Object.entries(claims)
    .map(([name, texts]) => `${exactText(name)}=${texts.map(exactText).join(' or ')}`)
    .join(' · ')
}

function factsOf({ networks, max_age_seconds, last_used_at, audience, created_at }: MachineTrust): string {
  return [
    last_used_at === null ? `never used, added ${ago(created_at)}` : `used ${ago(last_used_at)}`,
    `audience ${exactText(audience)}`,
    ...(networks.length === 0 ? [] : [`only from ${networks.join(', ')}`]),
    ...(max_age_seconds === null ? [] : [`tokens up to ${max_age_seconds} seconds old`]),
  ].join(' · ')
}

type EndTrustProps = { machine: Machine; trust: MachineTrust; onClose: () => void }

/** Asks before an identity can no longer be the machine. */
function EndTrustDialog({ machine, trust, onClose }: EndTrustProps) {
  const end = useChange('endMachineTrust', { machine_id: machine.id, trust_id: trust.id })
  return (
    <ConfirmChange
      title={`End this identity of ${issuerName(trust)}?`}
      action="End identity"
      change={end}
      done={`Ended an identity of ${issuerName(trust)}.`}
      onClose={onClose}
    >
      <p>
        The server then refuses its calls. Values that the machine already fetched keep working until you
        change them.
      </p>
    </ConfirmChange>
  )
}
