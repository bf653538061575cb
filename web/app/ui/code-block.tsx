import { CopyButton } from './copy-button.tsx'

type CodeBlockProps = {
  text: string
  /** What the copy button copies, by name. */
  what: string
  /** What is copied, if it is not the text as it is shown. */
  copied?: string
}

/** A text of several lines to use elsewhere, whole at every width, with a button that copies it. */
export function CodeBlock({ text, what, copied = text }: CodeBlockProps) {
  return (
    <div className="mt-2 flex items-start gap-2 rounded-md border border-line bg-sunken py-1 pr-1 pl-3">
      <pre
        translate="no"
        className="min-w-0 flex-1 py-1.5 font-mono text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]"
      >
        {text}
      </pre>
      <CopyButton text={copied} what={what} />
    </div>
  )
}
