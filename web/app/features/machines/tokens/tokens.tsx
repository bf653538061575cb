import { useState } from 'react'
import { serverNowMs } from '../../../lib/calls/server-clock.ts'
import { useMay } from '../../../lib/data/me.ts'
import type { Machine, MachineToken } from '../../../lib/machines/answers.ts'
import { type TokenState, tokenState } from '../../../lib/machines/machine-state.ts'
import { useAddressFields } from '../../../lib/page/use-address-fields.ts'
import { ago, ahead, dateTime } from '../../../lib/words/time.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Plus, RefreshCw, Trash2 } from '../../../ui/icons.ts'
import { Rows, Section } from '../../../ui/section.tsx'
import { EndTokenDialog, NewTokenDialog, RotateTokenDialog } from './token-dialogs.tsx'

/** The tokens of a machine, the newest first; an owner creates, rotates and ends them. */
export function Tokens({ machine }: { machine: Machine }) {
  const may = useMay()
  const { textOf, set } = useAddressFields<'add'>()
  const tokens = machine.tokens.toReversed()
  return (
    <Section
      title="Tokens"
      count={tokens.length}
      intro="Use a token only if the platform has no ID tokens: anyone who has it can use it until it expires."
      action={
        may('createMachineToken') && (
          <Button label="Create token" size="small" onClick={() => set('add', 'token')} icon={Plus} />
        )
      }
    >
      <Rows label="Tokens" none="None.">
        {tokens.map((token) => (
          <TokenRow key={token.id} machine={machine} token={token} />
        ))}
      </Rows>
      {may('createMachineToken') && textOf('add') === 'token' && (
        <NewTokenDialog machine={machine} onClose={() => set('add', '')} />
      )}
    </Section>
  )
}

const STATES: Readonly<Record<TokenState, { tone: 'good' | 'caution' | 'danger' | 'plain'; name: string }>> =
  {
    works: { tone: 'good', name: 'Works' },
    expiring: { tone: 'caution', name: 'Expires soon' },
    expired: { tone: 'danger', name: 'Expired' },
    ended: { tone: 'plain', name: 'Ended' },
  }

function TokenRow({ machine, token }: { machine: Machine; token: MachineToken }) {
  const may = useMay()
  const [open, setOpen] = useState<'rotate' | 'end' | null>(null)
  const close = () => setOpen(null)
  const state = tokenState(token)
  const { tone, name } = STATES[state]
  const isOver = state === 'ended' || state === 'expired'
  return (
    <li className="flex min-h-13 items-center gap-1 py-2 pr-2 pl-4">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 text-sm">
          <span translate="no" className="font-mono">
            kfm_…{token.hint}
          </span>
          <Badge tone={tone}>{name}</Badge>
        </p>
        <p className="text-xs text-ink-soft" title={dateTime(token.expires_at)}>
          {factsOf(token).join(' · ')}
        </p>
      </div>
      {may('rotateMachineToken') && !isOver && (
        <>
          <IconButton
            label={`Rotate the token ${token.hint}`}
            onClick={() => setOpen('rotate')}
            icon={RefreshCw}
          />
          <IconButton label={`End the token ${token.hint}`} onClick={() => setOpen('end')} icon={Trash2} />
        </>
      )}
      {open === 'rotate' && <RotateTokenDialog machine={machine} token={token} onClose={close} />}
      {open === 'end' && <EndTokenDialog machine={machine} token={token} onClose={close} />}
    </li>
  )
}

function factsOf(token: MachineToken): string[] {
  const { networks, last_used_at, last_used_ip } = token
  return [
    lifeOf(token),
    last_used_at === null
      ? 'never used'
      : `used ${ago(last_used_at)}${last_used_ip === null ? '' : ` from ${last_used_ip}`}`,
    networks.length === 0 ? 'from any address' : `only from ${networks.join(', ')}`,
  ]
}

function lifeOf({ ended_at, expires_at }: MachineToken): string {
  if (ended_at !== null) return `ended ${ago(ended_at)}`
  return Date.parse(expires_at) <= serverNowMs()
    ? `expired ${ago(expires_at)}`
    : `expires ${ahead(expires_at)}`
}
