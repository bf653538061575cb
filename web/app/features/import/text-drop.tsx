import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { FileChooser, useTextFile } from '../../ui/file-drop.tsx'
import { TextArea } from '../../ui/text-field.tsx'

/** Where a text is pasted, or a file dropped or chosen. */
export function TextDrop({ text, onText }: { text: string; onText: (text: string) => void }) {
  const { over, read, dropping } = useTextFile(onText)
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
        <FileChooser size="small" onFiles={read} />
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
