import { useState } from 'react'
import type { BundleWithItems } from '../../../lib/calls/answers.ts'
import { call } from '../../../lib/calls/call.ts'
import { isOvertaken } from '../../../lib/calls/failure.ts'
import { useReorderKey } from '../../../lib/data/attachments.ts'
import { useMay } from '../../../lib/data/me.ts'
import { changedText } from '../../../lib/words/last-change.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { EntryName } from '../../../ui/entry-name.tsx'
import { ArrowDown, ArrowUp } from '../../../ui/icons.ts'
import { notify, notifyFailure } from '../../../ui/toast-store.ts'

/** The order in which a bundle delivers its variables: exports and `.env` files have it. */
export function OrderDialog({ bundle, onClose }: { bundle: BundleWithItems; onClose: () => void }) {
  const { id, name, items } = bundle
  const reorder = useReorderKey(id)
  const mayReadLog = useMay()('listAudit')
  const [spoken, setSpoken] = useState('')
  const attached = items.flatMap((item) =>
    item.id === null || item.order === null ? [] : [{ ...item, id: item.id }],
  )
  const onError = (error: Error) =>
    mayReadLog && isOvertaken(error) ? void announceOrderChange(id, error) : notifyFailure(error)
  const move = (from: number, to: number) => {
    const item = attached[from]
    if (item === undefined || to < 0 || to >= attached.length) return
    reorder.mutate({ key_id: item.id, order: to, expected: { order: from } }, { onError })
    setSpoken(`${item.name} is now number ${to + 1} of ${attached.length}.`)
  }
  return (
    <Dialog title={`Order of ${name}`} onClose={onClose}>
      <p className="mb-3 text-sm text-ink-soft">Exports and files that the client writes have this order.</p>
      <ol aria-label="Order" className="max-h-[60dvh] overflow-auto text-xs">
        {attached.map((item, at) => (
          <li key={item.id} className="flex min-h-10 items-center gap-1 border-t border-line first:border-0">
            <EntryName name={item.name} className="min-w-0 flex-1 font-mono [overflow-wrap:anywhere]" />
            <IconButton
              label={`Move ${item.name} up`}
              icon={ArrowUp}
              disabled={at === 0}
              onClick={() => move(at, at - 1)}
            />
            <IconButton
              label={`Move ${item.name} down`}
              icon={ArrowDown}
              disabled={at === attached.length - 1}
              onClick={() => move(at, at + 1)}
            />
          </li>
        ))}
      </ol>
      <p className="sr-only" aria-live="polite">
        {spoken}
      </p>
      <div className="mt-4 flex justify-end">
        <Button label="Done" look="primary" onClick={onClose} />
      </div>
    </Dialog>
  )
}

// The refusal names neither the person nor the time; the log does.
async function announceOrderChange(target: string, error: Error): Promise<void> {
  try {
    const [last] = await call('listAudit', { target, action: 'bundle.reordered', limit: 1 })
    const text = `${changedText(last, 'the order')}, after you opened this. The page now shows what is stored.`
    notify({ text, tone: 'danger' })
  } catch {
    notifyFailure(error)
  }
}
