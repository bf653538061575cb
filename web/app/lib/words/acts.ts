import { joined } from '@keyferry/contract/joined'
import type { LastingAct } from '../calls/answers.ts'
import { type AskedTouch, factsOf, type SignedAct } from '../calls/touch.ts'
import * as modules from './modules.ts'
import { visibleText } from './visible-text.ts'

const ACTS: Readonly<Record<string, (act: SignedAct) => string>> = {
  confirmApprovalKey: ({ named }) => `A signing key of ${named('approval_key')} can sign approvals here.`,
  removeApprovalKey: ({ named }) => `A signing key of ${named('approval_key')} is removed.`,
  changeBundlePolicy: ({ named }) => `The rules of ${named('bundles')} change.`,
  changeTenantPolicy: () => 'The rules of the workspace change.',
  updateBundle: ({ named }) => `The name, tags or description of ${named('bundles')} changes.`,
  duplicateBundle: ({ named, sent }) => `The new bundle ${sent('name')} gets what ${named('bundles')} holds.`,
  deleteBundle: ({ named }) => `${named('bundles')} is deleted, and its rules end.`,
  attachKey: ({ named }) => `${named('bundles')} delivers ${named('keys')}.`,
  changeAttachment: ({ named }) => `How ${named('bundles')} delivers ${named('keys')} changes.`,
  splitKey: ({ named }) => `${named('bundles')} gets a value of its own of ${named('keys')}.`,
  detachKey: ({ named }) => `${named('bundles')} no longer delivers ${named('keys')}.`,
  importVariables: ({ named }) => `The import changes what ${named('bundles')} delivers.`,
  importItems: ({ named }) => `The import changes what ${named('bundles')} delivers.`,
  upsertLegacyItem: ({ named }) => `A value of ${named('bundles')} changes.`,
  convertLegacyItem: ({ named }) => `A value of ${named('bundles')} becomes a variable.`,
  deleteLegacyItem: ({ named }) => `A value of ${named('bundles')} is deleted.`,
  moveLibrary: () => 'The workspace gets the bundles of the file.',
  acceptProposal: ({ named }) => `The proposed values are stored in ${named('bundles')}.`,
  updateKey: ({ named }) => `${named('keys')} changes.`,
  deleteKey: ({ named }) => `${named('keys')} is deleted.`,
  changeKeys: ({ named, sent }) => `${sent('action')}: ${named('keys')}.`,
  restoreKeyVersion: ({ named }) => `${named('keys')} gets an older value again.`,
  destroyKeyVersion: ({ named }) => `An older value of ${named('keys')} is destroyed.`,
  dismissHolder: ({ named }) => `A holder of ${named('keys')} leaves the list.`,
  changeMemberRole: ({ named, sent }) => `${named('people')} becomes ${sent('role')}.`,
  changeMemberLimit: ({ named }) => `What ${named('people')} sees changes.`,
  createGroup: ({ named, sent }) =>
    `The group ${sent('name')} can see ${sent('adds') || 'nothing more'}. In it: ${named('people') || 'nobody'}.`,
  changeGroup: ({ named }) => `Who is in the group ${named('groups')}, or what it gives, changes.`,
  deleteGroup: ({ named }) =>
    `The group ${named('groups')} is deleted. Rules that name only it let nobody approve.`,
  createInvitation: ({ named, sent }) =>
    named('people') === ''
      ? `${sent('email')} can join as ${sent('role')}, in the groups: ${named('groups') || 'none'}.`
      : `${sent('email')} takes over the membership of ${named('people')}, with its role.`,
  removeMember: ({ named }) => `${named('people')} is removed from the workspace.`,
  ...joined(modules, 'actWords'),
}

/** One sentence that says what a signature does. */
export function actText(name: string, asked: AskedTouch, input: object): string {
  const sent = (field: string) => textOf(new Map(Object.entries(input)).get(field) ?? '')
  return sentence(name, factsOf(asked)['concerns'] ?? {}, sent)
}

/** One sentence that says what a signed act that waits does. The server does not store what its call sends. */
export function waitingText({ act, concerns }: Pick<LastingAct, 'act' | 'concerns'>): string {
  return sentence(act, concerns, (field) => (act === 'changeMemberRole' && field === 'role' ? 'owner' : '…'))
}

function sentence(name: string, about: object, sent: SignedAct['sent']): string {
  const concerns = new Map<string, unknown>(Object.entries(about))
  const named = (kind: string) => listed(namesIn(concerns.get(kind)))
  const text = ACTS[name]?.({ named, sent }) ?? `The server does “${name}”.`
  const gains = concerns.get('gains')
  if (!Array.isArray(gains)) return text
  return `${text} After this, ${listed(gains.map((gain) => visibleText(String(gain))))}. It waits for another owner or a day.`
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return visibleText(String(value))
  return Object.entries(value)
    .map(([name, each]) => visibleText(`${name} ${[each].flat().join(' or ')}`))
    .join(', ')
}

function namesIn(facts: unknown): string[] {
  if (Array.isArray(facts)) return facts.flatMap(namesIn)
  return typeof facts === 'object' && facts !== null && 'name' in facts
    ? [visibleText(String(facts.name))]
    : []
}

const SHOWN = 3

function listed(names: readonly string[]): string {
  const [shown, more] = [names.slice(0, SHOWN).join(', '), names.length - SHOWN]
  return more > 0 ? `${shown} and ${more} more` : shown
}
