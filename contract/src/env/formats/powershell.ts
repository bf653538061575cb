import { eachAs, type Format } from '../format.ts'

// Quotes, the typographic ones too (PowerShell reads them as plain ones), and all but printable ASCII.
const BY_NUMBER = /[^\x20-\x26\x28-\x7e]/

/** `$env:` lines for `keyferry pull --format powershell | Out-String | Invoke-Expression`. Only printable ASCII is
 * written, the rest by number: a pipe in between breaks lines and chooses an encoding. */
export const powershell: Format = {
  summary: '$env: lines for PowerShell',
  asked: 'sh',
  whyNot: (_name, value) => (value === '' ? 'PowerShell removes a variable that is set to nothing' : null),
  write: eachAs((name, value) => `\${env:${name}} = ${expression(value)}\n`),
  grammar: null,
}

// The sum begins with a text, so that it is a text.
function expression(value: string): string {
  const parts = value.split(/([^\x20-\x26\x28-\x7e])/).filter((part) => part !== '')
  const written = parts.map((part) => (BY_NUMBER.test(part) ? `[char]${part.charCodeAt(0)}` : `'${part}'`))
  return written[0]?.startsWith("'") === true ? written.join(' + ') : ["''", ...written].join(' + ')
}
