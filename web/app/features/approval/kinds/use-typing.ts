import { useState } from 'react'
import type { RequestBundle } from '../../../lib/calls/answers.ts'
import { call } from '../calls.ts'
import { inWorkspace, type PlaceName } from '../place/place.ts'
import type { Demands } from '../return-plan.ts'

/** A value that the approver types. `propose`: to the owners, too. */
export type GivenValue = { name: string; value: string; is_secret: boolean; propose: boolean }

/** `names`: those that the server lets the approver type. `host`: the terminal, as it claims. */
export type Typing = NonNullable<RequestBundle['may_type']> & {
  host: string
  bundle: PlaceName
  /** By name. */
  values: ReadonlyMap<string, GivenValue>
  onChange: (name: string, value: GivenValue | null) => void
  /** Stores a value in the bundle, which then delivers it. */
  onStore: (value: GivenValue) => Promise<void>
}

type TypingOf = {
  bundle: RequestBundle | null
  rules: Demands | null
  host: string
  workspaceId: string | null
  onStored: (name: string) => void
}

/** The values that the approver types for this bundle. They stay in memory: a reload forgets them. */
export function useTyping({ bundle, rules, host, workspaceId, onStored }: TypingOf) {
  const [state, setState] = useState({ bundleId: '', values: new Map<string, GivenValue>() })
  const offered = rules?.may_type
  const all = state.bundleId === bundle?.id ? state.values : new Map<string, GivenValue>()
  const names = new Set(offered?.names.map(({ name }) => name))
  const values = new Map([...all].filter(([name]) => names.has(name)))
  const given = [...values.values()].filter(({ value }) => value !== '')
  if (bundle === null || offered === undefined || workspaceId === null) return { given: [], typing: null }
  const onChange: Typing['onChange'] = (name, value) => {
    const next = new Map(values)
    if (value === null) next.delete(name)
    else next.set(name, value)
    setState({ bundleId: bundle.id, values: next })
  }
  const onStore: Typing['onStore'] = async ({ name, value, is_secret }) => {
    const entry = { name, value, is_secret }
    await call('importVariables', { bundle: bundle.name, entries: [entry] }, inWorkspace(workspaceId))
    onChange(name, null)
    onStored(name)
  }
  const typing: Typing = { ...offered, host, bundle, values, onChange, onStore }
  return { given, typing }
}
