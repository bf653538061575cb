import type { ComponentProps } from 'react'

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & {
  /** An answer is awaited: submitting does nothing. */
  busy: boolean
  onSubmit: () => void
}

/** A form that stays on its page. It checks its fields itself, unless `noValidate` is false. */
export function Form({ busy, onSubmit, ...rest }: FormProps) {
  return (
    <form
      noValidate
      {...rest}
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) onSubmit()
      }}
    />
  )
}
