import { Breaks } from './breaks.tsx'

/** A path or a command line, unchanged. A line breaks between words, within a long word after a slash, and within a
 * name only if nothing else fits. */
export function WholeWords({ text }: { text: string }) {
  return (
    <bdi translate="no" className="font-mono whitespace-pre-wrap">
      {text.split(/(\s+)/).map((part, index) =>
        index % 2 === 1 ? (
          part
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the words of one text neither move nor change
          <span key={index} className="inline-block max-w-full align-top">
            <Breaks text={part} at={/(?<=[/\\])/} />
          </span>
        ),
      )}
    </bdi>
  )
}
