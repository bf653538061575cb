import type { ReactNode } from 'react'
import { counted } from '../lib/words/counted.ts'
import { Notice } from './notice.tsx'

const LISTED = 5

type RulesNotice = { names: readonly string[] }

/** Before machines get secrets without an approval of which another bundle demands one. */
export function StricterNotice({ names }: RulesNotice) {
  const them = names.length === 1 ? 'it' : 'them'
  return (
    <StricterNames names={names}>
      Machines that fetch values of this bundle get {them} without an approval.
    </StricterNames>
  )
}

/** Before secrets are copied away from rules that another bundle sets. */
export function WeakerNotice({ names }: RulesNotice) {
  const copies = names.length === 1 ? 'The copy comes' : 'The copies come'
  return <StricterNames names={names}>{copies} under the rules of this bundle alone.</StricterNames>
}

function StricterNames({ names, children }: RulesNotice & { children: ReactNode }) {
  if (names.length === 0) return null
  const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : ''
  return (
    <Notice tone="caution" role="status">
      Another bundle has stricter rules for {counted(names.length, 'secret')}:{' '}
      <span className="font-mono [overflow-wrap:anywhere]">{names.slice(0, LISTED).join(', ')}</span>
      {more}. {children}
    </Notice>
  )
}
