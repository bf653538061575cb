import { useId, useRef, useState } from 'react'
import { classNames } from '../../ui/class-names.ts'

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
  const { typed, onType, problem, inputRef } = field
  const id = useId()
  const whose = isSecond ? 'Ask the person who ran the command, and type' : 'Type'
  return (
    <section
      aria-label="Check code"
      className={classNames(
        'mx-4 mt-4 rounded-md bg-sunken px-4 py-3 sm:mx-8',
        typed === null
          ? 'text-center'
          : 'flex flex-wrap items-center gap-x-5 gap-y-2 max-sm:justify-center max-sm:text-center sm:flex-nowrap',
      )}
    >
      {typed === null ? (
        <p className="font-mono text-code font-medium tracking-[0.04em]! whitespace-nowrap">{code}</p>
      ) : (
        <input
          ref={inputRef}
          // biome-ignore lint/a11y/noAutofocus: typing the code is what this page waits for
          autoFocus
          id={id}
          value={typed}
          onChange={(event) => onType(event.currentTarget.value.toUpperCase())}
          aria-invalid={problem !== null}
          aria-describedby={problem === null ? undefined : `${id}-problem`}
          placeholder="XXXX-XXXX"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={16}
          className="field max-w-52 shrink-0 text-center font-mono text-lg tracking-[0.1em]!"
        />
      )}
      <div className="min-w-0 text-xs text-ink-soft">
        {typed === null ? (
          <p>
            {isSecond
              ? 'Approve only if the person who ran the command reads you this code from their terminal.'
              : 'Approve only if your own terminal shows this code.'}
          </p>
        ) : (
          <>
            <label htmlFor={id} className="block text-sm text-ink">
              {whose} the code that {isSecond ? 'their' : 'your'} terminal shows.
            </label>
            {problem !== null && (
              <p id={`${id}-problem`} role="alert" className="font-medium">
                {problem}
              </p>
            )}
          </>
        )}
        {(typed !== null || !isSecond) && (
          <p>A code that someone sent you proves nothing: the sender knows it too.</p>
        )}
        {nextStep !== null && <p>{nextStep}</p>}
      </div>
    </section>
  )
}
