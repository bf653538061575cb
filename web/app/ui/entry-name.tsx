import { Fragment } from 'react'

/** The name of a bundle or key, whose lines end after `/` or `_`. */
export function EntryName({ name }: { name: string }) {
  return name.split(/(?<=[/_])/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one name neither move nor change
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
