import { eachAs, type Format } from '../format.ts'

// docker reads lines with a buffer of this size.
const LINE_BYTES = 65_535
const utf8 = new TextEncoder()

/** A file for `docker run --env-file`: the text after `=` is the value as it is, so there are no quotes, and a line
 * break cannot be written. */
export const docker: Format = {
  summary: 'a file for docker run --env-file',
  asked: '.env',
  whyNot: (name, value) => {
    if (value.includes('\n')) return 'a line break ends the value'
    if (value.endsWith('\r')) return 'docker drops a carriage return at the end'
    const bytes = utf8.encode(`${name}=${value}`).length
    return bytes > LINE_BYTES ? 'docker reads lines up to 64 KiB' : null
  },
  write: eachAs((name, value) => `${name}=${value}\n`),
  grammar: null,
}
