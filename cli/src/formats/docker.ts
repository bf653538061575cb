import type { Format } from './format.ts'

// docker reads lines with a buffer of this size.
const LINE_BYTES = 65_535

/** A file for `docker run --env-file`: the text behind `=` is the value as it stands, so there are no quotes and no way
 * to write a line break. */
export const docker: Format = {
  whyNot: (name, value) => {
    if (value.includes('\n')) return 'a line break ends the value'
    if (value.endsWith('\r')) return 'a carriage return at the end is lost'
    return Buffer.byteLength(`${name}=${value}`) > LINE_BYTES ? 'docker reads lines up to 64 KiB' : null
  },
  write: (values) => [...values].map(([name, value]) => `${name}=${value}\n`).join(''),
}
