import { Bot } from 'lucide-react'
import { Link } from 'wouter'
import type { Machine } from '../../lib/calls/answers.ts'
import { serverNowMs } from '../../lib/calls/server-clock.ts'
import { proofsOf, warningsOf } from '../../lib/rules/machine-state.ts'
import { ago } from '../../lib/words/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { EntryName } from '../../ui/entry-name.tsx'

const BUNDLES_NAMED = 2

/** One line of the list of machines. */
export function MachineRow({ machine }: { machine: Machine }) {
  const nowMs = serverNowMs()
  const warnings = warningsOf(machine, nowMs).filter(({ tone }) => tone !== 'plain')
  return (
    <Link
      href={`/machines/${machine.id}`}
      className="flex min-h-13 items-center gap-3 px-4 py-2 -outline-offset-2 hover:bg-sunken/60"
    >
      <Bot aria-hidden size={18} strokeWidth={1.7} className="shrink-0 text-accent" />
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="font-mono text-sm font-medium [overflow-wrap:anywhere]">
            <EntryName name={machine.name} />
          </span>
          {warnings.map(({ name, tone }) => (
            <Badge key={name} tone={tone}>
              {name}
            </Badge>
          ))}
        </span>
        <span className="block truncate text-xs text-ink-soft">
          <span className="sm:hidden">{usedText(machine, nowMs)} · </span>
          {factsOf(machine)}
        </span>
      </span>
      <span className="hidden shrink-0 text-right text-xs text-ink-faint sm:block">
        {usedText(machine, nowMs)}
      </span>
    </Link>
  )
}

function usedText({ last_delivery_at }: Machine, nowMs: number): string {
  return last_delivery_at === null ? 'never used' : `used ${ago(last_delivery_at, nowMs)}`
}

function factsOf(machine: Machine): string {
  return [...proofsOf(machine), bundleNames(machine)].filter((text) => text !== '').join(' · ')
}

function bundleNames({ grants }: Machine): string {
  const names = grants.map(({ bundle }) => bundle.name)
  const more = names.length - BUNDLES_NAMED
  const named = names.slice(0, BUNDLES_NAMED).join(', ')
  return more > 0 ? `${named} and ${more} more` : named
}
