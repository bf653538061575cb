import type { Format } from './format.ts'

// Quotes, typographic ones included (PowerShell takes them for the plain one), and all that is not printable ASCII.
const BY_NUMBER = /[^\x20-\x26\x28-\x7e]/

/** `$env:` lines for `keyferry pull --format powershell | Out-String | Invoke-Expression`. Only printable ASCII is
 * written, everything else by its number: what comes between must not break lines or choose an encoding. */
export const powershell: Format = {
  whyNot: (_name, value) => (value === '' ? 'PowerShell removes a variable that is set to nothing' : null),
  write: (values) => [...values].map(([name, value]) => `\${env:${name}} = ${expression(value)}\n`).join(''),
}

// A text first, so that the sum of the parts is a text.
function expression(value: string): string {
  const parts = value.split(/([^\x20-\x26\x28-\x7e])/).filter((part) => part !== '')
  const written = parts.map((part) => (BY_NUMBER.test(part) ? `[char]${part.charCodeAt(0)}` : `'${part}'`))
  return written[0]?.startsWith("'") === true ? written.join(' + ') : ["''", ...written].join(' + ')
}
