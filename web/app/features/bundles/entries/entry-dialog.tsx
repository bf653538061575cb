import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { BundleItem, BundleWithItems } from '../../../lib/calls/answers.ts'
import { sharedText, useSharedKeys } from '../../../lib/data/attachments.ts'
import { useIsOwner } from '../../../lib/data/me.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { OtherKeyForm, OwnValueForm, RenameEntryForm } from './entry-forms.tsx'

type Step = 'choose' | 'own' | 'other' | 'rename'

type EntryDialogProps = { bundle: BundleWithItems; item: BundleItem; onClose: () => void }

/** What a person can change about a key in one bundle, without touching other bundles. */
export function EntryDialog({ bundle, item, onClose }: EntryDialogProps) {
  const [step, setStep] = useState<Step>('choose')
  const form = { bundle, item, onClose }
  return (
    <Dialog title={`${item.name} in ${bundle.name}`} onClose={onClose}>
      {step === 'choose' && <Choices bundle={bundle} item={item} onChoose={setStep} />}
      {step === 'own' && <OwnValueForm {...form} />}
      {step === 'other' && <OtherKeyForm {...form} />}
      {step === 'rename' && <RenameEntryForm {...form} />}
    </Dialog>
  )
}

type ChoicesProps = { bundle: BundleWithItems; item: BundleItem; onChoose: (step: Step) => void }

function Choices({ bundle, item, onChoose }: ChoicesProps) {
  const isOwner = useIsOwner()
  const shared = useSharedKeys(bundle.id).get(item.id ?? '')
  return (
    <ul className="-mx-2">
      {isOwner && shared !== undefined && (
        <Choice title="Give this bundle its own value" onChoose={() => onChoose('own')}>
          The key is shared with {sharedText(shared)}. Their value stays.
        </Choice>
      )}
      <Choice title="Use another key here" onChoose={() => onChoose('other')}>
        The bundle keeps delivering {item.name}, from another key of the library.
      </Choice>
      <Choice title="Rename what is delivered" onChoose={() => onChoose('rename')}>
        The program gets the value under another name. The key keeps its name.
      </Choice>
    </ul>
  )
}

function Choice({ title, children, onChoose }: { title: string; children: ReactNode; onChoose: () => void }) {
  return (
    <li>
      <button
        type="button"
        onClick={onChoose}
        className="flex w-full items-center gap-3 rounded-md px-2 py-2.5 text-left -outline-offset-2 hover:bg-sunken"
      >
        <span className="min-w-0 flex-1">
          <span className="block font-medium">{title}</span>
          <span className="block text-sm text-ink-soft">{children}</span>
        </span>
        <ChevronRight aria-hidden size={16} className="shrink-0 text-ink-faint" />
      </button>
    </li>
  )
}
