import { Fragment } from 'react'

/** A text whose lines may also end at these places. `at` matches positions (a lookaround), so no character is lost. */
export function Breaks({ text, at }: { text: string; at: RegExp }) {
  return text.split(at).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text neither move nor change
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
