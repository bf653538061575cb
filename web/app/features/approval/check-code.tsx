import { ShieldCheck } from 'lucide-react'
import { useId, useRef, useState } from 'react'

const CODE_LETTERS = 8

/** The check code as the approver types it, where the server asks for that; else `typed` is null. */
export function useTypedCode(required: boolean) {
  const inputRef = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const refuse = (reason: string) => {
    setProblem(reason)
    inputRef.current?.focus()
  }
  const onType = (next: string) => {
    setText(next)
    setProblem(null)
  }
  const isMissing = required && text.replace(/[^A-Z]/g, '').length !== CODE_LETTERS
  return { field: { typed: required ? text : null, onType, problem, inputRef }, isMissing, refuse }
}

type CheckCodeProps = {
  /** The client cannot take an approval back. */
  isUnbound: boolean
  /** Another person approved first, and the terminal is probably theirs. */
  isSecond: boolean
  code: string
  field: ReturnType<typeof useTypedCode>['field']
}

/** The check code: shown to be compared, or asked for when the server wants it typed. */
export function CheckCode({ code, isUnbound, isSecond, field }: CheckCodeProps) {
  return (
    <section aria-labelledby="check-code" className="rounded-lg border border-line bg-surface p-4 sm:p-5">
      <h2 id="check-code" className="flex items-center gap-2 text-sm font-semibold">
        <ShieldCheck aria-hidden size={18} className="text-accent" />
        Check code
      </h2>
      {isUnbound && (
        <p className="mt-2 text-sm font-medium text-danger">
          This client cannot return the approval to a terminal.{' '}
          {isSecond
            ? 'Approve only if you know who started the command.'
            : 'Approve only if you just ran this command yourself.'}
        </p>
      )}
      {field.typed === null ? (
        <>
          <p className="mt-2 font-mono text-code font-semibold tracking-wider whitespace-nowrap">{code}</p>
          <p className="mt-2 text-sm text-ink-soft">
            {isSecond
              ? 'Ask the person who ran the command for the code in their terminal. If it differs, deny.'
              : 'Compare it with the code in your own terminal. If it differs, deny.'}
          </p>
        </>
      ) : (
        <TypedCode isSecond={isSecond} {...field} />
      )}
      <p className="mt-1 text-sm text-ink-soft">
        A code that someone sent you proves nothing: the sender knows it too.
      </p>
    </section>
  )
}

type TypedCodeProps = CheckCodeProps['field'] & { isSecond: boolean }

function TypedCode({ typed, isSecond, onType, problem, inputRef }: TypedCodeProps) {
  const id = useId()
  return (
    <>
      <label htmlFor={id} className="mt-2 block text-sm text-ink-soft">
        {isSecond
          ? 'Ask the person who ran the command, and type the code that their terminal shows.'
          : 'Type the code that your terminal shows.'}
      </label>
      <input
        ref={inputRef}
        // biome-ignore lint/a11y/noAutofocus: typing the code is what this page waits for
        autoFocus
        id={id}
        value={typed ?? ''}
        onChange={(event) => onType(event.currentTarget.value.toUpperCase())}
        aria-invalid={problem !== null}
        aria-describedby={problem === null ? undefined : `${id}-problem`}
        placeholder="XXXX-XXXX"
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={16}
        className="field mt-2 text-center font-mono text-xl tracking-widest"
      />
      {problem !== null && (
        <p id={`${id}-problem`} role="alert" className="mt-2 text-sm text-danger">
          {problem}
        </p>
      )}
    </>
  )
}
