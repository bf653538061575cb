import { useEffect, useState, useSyncExternalStore } from 'react'
import { Button, IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import { CircleAlert, X } from './icons.ts'
import { Placed } from './placed.tsx'
import { currentToasts, dismiss, onToasts, type Toast } from './toast-store.ts'

const SHOWN_MS = 8_000

/** Messages over the page, where no control is. Spoken politely, gone after a while unless pointed at or focused; a
 * failure stays. */
export function Toasts() {
  const toasts = useSyncExternalStore(onToasts, currentToasts)
  useEffect(() => {
    document.addEventListener('keydown', undoLast)
    return () => document.removeEventListener('keydown', undoLast)
  }, [])
  return (
    <Placed label="Notifications" isShown={toasts.length > 0}>
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </Placed>
  )
}

/** `z` takes back the newest thing that can be taken back, unless it is typed into a field. */
function undoLast(event: KeyboardEvent): void {
  const isTyped =
    event.target instanceof Element && event.target.closest('input, textarea, select, dialog') !== null
  if (event.key !== 'z' || event.ctrlKey || event.metaKey || event.altKey || isTyped) return
  const toast = currentToasts()
    .toSorted((a, b) => b.id - a.id)
    .find(({ undo, isGone }) => undo !== undefined && !isGone)
  if (toast === undefined) return
  toast.undo?.()
  dismiss(toast.id)
}

function ToastCard({ toast }: { toast: Toast }) {
  const [isPaused, setPaused] = useState(false)
  useEffect(() => {
    // What failed stays until the person has read it.
    if (isPaused || toast.isGone || toast.tone === 'problem') return undefined
    const timer = setTimeout(() => dismiss(toast.id), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isPaused, toast.id, toast.isGone, toast.tone])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing at a remark only keeps it from leaving
    <div
      onMouseEnter={() => setPaused(true)}
      onMouseLeave={() => setPaused(false)}
      onFocus={() => setPaused(true)}
      onBlur={() => setPaused(false)}
      className={classNames(
        'flex w-full max-w-read items-center gap-3 rounded-md bg-raised py-2 pr-2 pl-4 text-sm shadow-floating sm:w-fit',
        toast.isGone && 'invisible',
      )}
    >
      {toast.tone === 'problem' && <CircleAlert aria-hidden size={18} className="shrink-0" />}
      <span className="min-w-0 flex-1">{toast.text}</span>
      {toast.undo !== undefined && (
        <Button
          label="Undo"
          size="small"
          onClick={() => {
            toast.undo?.()
            dismiss(toast.id)
          }}
        />
      )}
      <IconButton label="Dismiss" onClick={() => dismiss(toast.id)} icon={X} />
    </div>
  )
}
