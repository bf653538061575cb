import type { ReactNode } from 'react'
import { counted } from '../lib/words/counted.ts'
import { Notice } from './notice.tsx'

const LISTED = 5

type RulesNotice = { names: readonly string[] }

/** Warns before programs get secrets without an approval that another bundle demands. */
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

type CrossingProps = {
  of: readonly { name: string; crosses?: true | undefined }[]
  children?: ReactNode
  className?: string
}

/** Where production and another environment deliver the same secrets. */
export function CrossingNotice({ of, children, className }: CrossingProps) {
  const names = of.filter(({ crosses }) => crosses === true).map(({ name }) => name)
  const what = names.length === 1 ? 'a secret' : `${names.length} secrets`
  return (
    <NamesNotice {...{ names, className }} what={`Production and another environment share ${what}`}>
      Anyone who receives {names.length === 1 ? 'it' : 'them'} outside production has production’s{' '}
      {names.length === 1 ? 'value' : 'values'}. {names.length > 0 && children}
    </NamesNotice>
  )
}

function StricterNames({ names, children }: RulesNotice & { children: ReactNode }) {
  const what = `Another bundle has stricter rules for ${counted(names.length, 'secret')}`
  return (
    <NamesNotice names={names} what={what}>
      {children}
    </NamesNotice>
  )
}

type NamesNoticeProps = RulesNotice & { what: string; children: ReactNode; className?: string | undefined }

function NamesNotice({ names, what, children, className }: NamesNoticeProps) {
  if (names.length === 0) return null
  const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : ''
  return (
    <Notice tone="caution" role="status" className={className}>
      {what}:{' '}
      <span translate="no" className="font-mono [overflow-wrap:anywhere]">
        {names.slice(0, LISTED).join(', ')}
      </span>
      {more}. {children}
    </Notice>
  )
}
