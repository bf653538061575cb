import { type DragEvent, useRef, useState } from 'react'
import { readTextFile } from '../lib/page/text-file.ts'
import { Button, type ButtonLook } from './button.tsx'
import { FileUp } from './icons.ts'
import { notify } from './toast-store.ts'

/** Reads the one text file that a person drops or chooses; why it cannot be read is a notice.
 * @returns `dropping`: props of the area to drop on; `over`: whether a file is dragged over it */
export function useTextFile(onText: (text: string) => void) {
  const [over, setOver] = useState(false)
  const read = (files: readonly File[]) => {
    readTextFile(files).then(onText, ({ message }: Error) => notify({ text: message, tone: 'problem' }))
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    read([...event.dataTransfer.files])
  }
  const onDragOver = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  return { over, read, dropping: { onDrop, onDragOver, onDragLeave: () => setOver(false) } }
}

type FileChooserProps = ButtonLook & { onFiles: (files: readonly File[]) => void }

/** A button that lets a person choose one file. */
export function FileChooser({ onFiles, ...look }: FileChooserProps) {
  const chooser = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button label="Choose a file" {...look} onClick={() => chooser.current?.click()} icon={FileUp} />
      <input
        ref={chooser}
        type="file"
        aria-label="File to import"
        className="hidden"
        onChange={({ currentTarget }) => {
          if (currentTarget.files?.length) onFiles([...currentTarget.files])
          // The same file can be chosen again after it was changed.
          currentTarget.value = ''
        }}
      />
    </>
  )
}
