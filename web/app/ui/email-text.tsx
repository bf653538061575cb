import { Breaks } from './breaks.tsx'

const PARTS = /(\S+@\S+)/

/** Text with e-mail addresses in it. A line breaks within an address only if it does not fit, after `@` or a dot. */
export function EmailText({ text }: { text: string }) {
  return text.split(PARTS).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text neither move nor change
      <span key={index} className="inline-block max-w-full">
        <Breaks text={part} at={/(?<=[@.])/} />
      </span>
    ),
  )
}
