const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** A page of the app with each `{name}` replaced by its escaped word; names without a word stay as they are. */
export function filledIn(html: string, words: Readonly<Record<string, string>>): string {
  return html.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const word = Object.hasOwn(words, name) ? words[name] : undefined
    return word === undefined ? whole : word.replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? '')
  })
}
