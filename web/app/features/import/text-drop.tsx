import { type DragEvent, useRef, useState } from 'react'
import { readTextFile } from '../../lib/page/text-file.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { FileUp } from '../../ui/icons.ts'
import { TextArea } from '../../ui/text-field.tsx'
import { notify } from '../../ui/toast-store.ts'

/** Where a text is pasted, or a file dropped or chosen. */
export function TextDrop({ text, onText }: { text: string; onText: (text: string) => void }) {
  const read = (files: readonly File[]) => {
    readTextFile(files).then(onText, ({ message }: Error) => notify({ text: message, tone: 'danger' }))
  }
  const { over, ...dropping } = useDrop(read)
  return (
    <div
      {...dropping}
      className={classNames('rounded-md', over && 'outline-2 outline-offset-4 outline-accent outline-dashed')}
    >
      <TextArea
        label="Content of the .env or JSON file"
        value={text}
        rows={9}
        onChange={onText}
        placeholder={'DATABASE_URL=postgres://…\nPORT=3000'}
        code="small"
      />
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-2">
        <FileChooser onFiles={read} />
        <p className="text-xs text-ink-soft">
          Or drop one here. Its values go to the server for the preview, which stores none of them.
        </p>
        {text !== '' && (
          <Button label="Clear" look="quiet" size="small" onClick={() => onText('')} className="ml-auto" />
        )}
      </div>
    </div>
  )
}

function useDrop(onFiles: (files: readonly File[]) => void) {
  const [over, setOver] = useState(false)
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onFiles([...event.dataTransfer.files])
  }
  const onDragOver = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  return { over, onDrop, onDragOver, onDragLeave: () => setOver(false) }
}

/** A button that lets a person choose one file. */
export function FileChooser({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const chooser = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button label="Choose a file" size="small" onClick={() => chooser.current?.click()} icon={FileUp} />
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
