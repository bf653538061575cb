import { FileUp } from 'lucide-react'
import { type DragEvent, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { TextArea } from '../../ui/text-field.tsx'
import { notify } from '../../ui/toast-store.ts'

const MOST_BYTES = 2_097_152

/** Where a text is pasted, or a file dropped or chosen. */
export function TextDrop({ text, onText }: { text: string; onText: (text: string) => void }) {
  const chooser = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const read = async (file: File | undefined) => {
    if (file === undefined) return
    if (file.size > MOST_BYTES) return notify({ text: `${file.name} is larger than 2 MiB.`, tone: 'danger' })
    onText(await file.text())
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void read(event.dataTransfer.files[0])
  }
  const onDragOver = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut for the button that chooses a file
    <div
      onDragOver={onDragOver}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      className={classNames('rounded-md', over && 'outline-2 outline-offset-4 outline-accent outline-dashed')}
    >
      <TextArea
        label="Content of the .env or JSON file"
        value={text}
        rows={9}
        onChange={(event) => onText(event.currentTarget.value)}
        placeholder={'DATABASE_URL=postgres://…\nPORT=3000'}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        className="font-mono text-sm"
      />
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button size="small" onClick={() => chooser.current?.click()}>
          <FileUp aria-hidden size={15} /> Choose a file
        </Button>
        <p className="text-xs text-ink-soft">Or drop one here. It is read in your browser.</p>
        {text !== '' && (
          <Button look="quiet" size="small" onClick={() => onText('')} className="ml-auto">
            Clear
          </Button>
        )}
      </div>
      <input
        ref={chooser}
        type="file"
        aria-label="File to import"
        className="hidden"
        onChange={(event) => {
          void read(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
    </div>
  )
}
