import { Fragment } from 'react'

/** A path or a command line, as it stands: a line ends between words, within a longer one after a slash, and only where
 * even that does not fit in the middle of a name. */
export function WholeWords({ text }: { text: string }) {
  return (
    <bdi className="font-mono whitespace-pre-wrap">
      {text.split(/(\s+)/).map((part, index) =>
        index % 2 === 1 ? (
          part
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the words of one text neither move nor change
          <span key={index} className="inline-block max-w-full align-top">
            <Word text={part} />
          </span>
        ),
      )}
    </bdi>
  )
}

function Word({ text }: { text: string }) {
  return text.split(/(?<=[/\\])/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: as above
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}
