import { useRef, useState } from 'react'

const CODE_LETTERS = 8

/** The check code as the approver types it, where the server asks for that. */
export function useTypedCode(required: boolean) {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const refuse = (reason: string) => {
    setProblem(reason)
    input.current?.focus()
  }
  const type = (next: string) => {
    setText(next)
    setProblem(null)
  }
  const complete = text.replace(/[^A-Z]/g, '').length === CODE_LETTERS
  const field = { typed: required ? text : null, onType: type, problem, inputRef: input }
  return { field, missing: required && !complete, refuse }
}
