import { useId, useRef, useState } from 'react'

const CODE_LETTERS = 8

/** The check code as the approver types it, where the page asks for that; else `typed` is null. */
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
  /** Another person started the command, so the terminal is probably theirs. */
  isSecond: boolean
  code: string
  /** What follows the approval; null: nothing. */
  nextStep: string | null
  field: ReturnType<typeof useTypedCode>['field']
}

/** The check code: shown to be compared, or asked for. */
export function CheckCode({ code, isSecond, nextStep, field }: CheckCodeProps) {
  return (
    <section aria-label="Check code" className="mx-4 mt-5 rounded-md bg-sunken px-5 py-4 text-center sm:mx-8">
      {field.typed === null ? (
        <>
          <p className="font-mono text-code font-medium tracking-[0.04em]! whitespace-nowrap">{code}</p>
          <p className="mt-1 text-ink-soft">
            {isSecond
              ? 'Approve only if the person who ran the command reads you this code from their terminal.'
              : 'Approve only if your own terminal shows this code. A code that someone sent you proves nothing.'}
          </p>
        </>
      ) : (
        <TypedCode isSecond={isSecond} {...field} />
      )}
      {nextStep !== null && <p className="mt-1 text-ink-soft">{nextStep}</p>}
    </section>
  )
}

type TypedCodeProps = CheckCodeProps['field'] & { isSecond: boolean }

function TypedCode({ typed, isSecond, onType, problem, inputRef }: TypedCodeProps) {
  const id = useId()
  return (
    <>
      <label htmlFor={id} className="block">
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
        className="field mx-auto mt-2 block max-w-72 text-center font-mono text-lg tracking-[0.1em]!"
      />
      {problem !== null && (
        <p id={`${id}-problem`} role="alert" className="mt-2 text-danger">
          {problem}
        </p>
      )}
      <p className="mt-2 text-ink-soft">
        A code that someone sent you proves nothing: the sender knows it too.
      </p>
    </>
  )
}
