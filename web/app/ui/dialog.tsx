import { type ReactNode, useEffect, useId, useRef } from 'react'
import { isComposing } from '../lib/page/composing.ts'
import { closeScope, UnsavedScope, useDialogScope } from '../lib/page/unsaved.ts'
import { IconButton } from './button.tsx'
import { X } from './icons.ts'
import { FIRST_FOCUS } from './text-field.tsx'

type DialogProps = {
  title: string
  /** A field says what the dialog is for: the title is for screen readers, and the top stays where it is. */
  hidesTitle?: boolean
  onClose: () => void
  children: ReactNode
}

/** A modal dialog, open as long as it is rendered; on a phone a sheet from below. Escape and a press outside close it,
 * after a question if a form in it has unsaved text; the focus returns where it was. */
export function Dialog({ title, hidesTitle = false, onClose, children }: DialogProps) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const scope = useDialogScope()
  const close = () => closeScope(scope, onClose)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    // The effect of the field came before, when nothing of the dialog was shown.
    const first = dialog.current?.querySelector(`[${FIRST_FOCUS}]`)
    if (first instanceof HTMLElement) first.focus()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      // Left to the browser, the fourth Escape in a row closes it, whatever `onCancel` says.
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented || isComposing(event)) return
        event.preventDefault()
        close()
      }}
      onClick={(event) => event.target === dialog.current && close()}
      className={`${hidesTitle ? 'sm:mt-[12vh] ' : ''}m-auto max-h-[calc(100dvh-2rem)] w-[calc(100%-2rem)] max-w-read overflow-auto rounded-lg bg-raised p-0 text-left text-sm whitespace-normal text-ink shadow-floating max-sm:mb-0 max-sm:w-full max-sm:max-w-none max-sm:rounded-b-none`}
    >
      <div className="p-5 sm:p-6">
        <div className={hidesTitle ? 'sr-only' : 'mb-4 flex items-start justify-between gap-4'}>
          <h2 id={id} className="text-lg font-semibold">
            {title}
          </h2>
          {!hidesTitle && (
            <IconButton label="Close" onClick={close} className="-mt-1.5 -mr-2" icon={X} px={18} />
          )}
        </div>
        <UnsavedScope.Provider value={scope}>{children}</UnsavedScope.Provider>
      </div>
    </dialog>
  )
}
