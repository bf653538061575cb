import { eachAs, type Format } from './format.ts'
import { type FormatName, NAME_RULES } from './format-names.ts'
import { dotenv } from './formats/dotenv.ts'
import { isWholeNumber, NUMBERS_OF_SHELLS } from './reserved-names.ts'

// Quotes, the typographic ones too (PowerShell reads them as plain ones), and all but printable ASCII.
const BY_NUMBER = /[^\x20-\x26\x28-\x7e]/
// docker reads lines with a buffer of this size.
const LINE_BYTES = 65_535
const utf8 = new TextEncoder()
const CONTROL = /[^\P{Cc}\t\n]/u
const NONCHARACTER = /\p{Noncharacter_Code_Point}/u

/** Every format of `keyferry pull`. */
export const FORMATS: Readonly<Record<FormatName, Format>> = {
  /** `export` lines for `eval "$(keyferry pull)"`. Single quotes keep every byte. */
  sh: {
    summary: 'export lines for sh, dash, bash, ksh and zsh',
    asked: 'sh',
    whyNot: (name, value) => {
      if (NUMBERS_OF_SHELLS.has(name) && !isWholeNumber(value)) return 'shells take only a number here'
      return NAME_RULES.sh(name)
    },
    write: eachAs((name, value) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`),
  },
  /** `set -gx` lines for `keyferry pull --format fish | source`. */
  fish: {
    summary: 'set -gx lines for fish',
    asked: 'fish',
    whyNot: NAME_RULES.fish,
    write: eachAs((name, value) => `set -gx ${name} '${value.replace(/[\\']/g, String.raw`\$&`)}'\n`),
  },
  '.env': dotenv,
  /** One object of names and values. It can express everything. */
  json: {
    summary: 'one JSON object',
    asked: 'sh',
    whyNot: () => null,
    write: (variables) => `${JSON.stringify(Object.fromEntries(variables), null, 2)}\n`,
  },
  /** `$env:` lines for `keyferry pull --format powershell | Out-String | Invoke-Expression`. Only printable ASCII is
   * written, the rest by number: a pipe in between breaks lines and chooses an encoding. */
  powershell: {
    summary: '$env: lines for PowerShell',
    asked: 'sh',
    whyNot: (_name, value) => (value === '' ? 'PowerShell removes a variable that is set to nothing' : null),
    write: eachAs((name, value) => `\${env:${name}} = ${powershellText(value)}\n`),
  },
  /** A file for `docker run --env-file`: the text after `=` is the value as it is, so there are no quotes, and a line
   * break cannot be written. */
  docker: {
    summary: 'a file for docker run --env-file',
    asked: '.env',
    whyNot: (name, value) => {
      if (value.includes('\n')) return 'a line break ends the value'
      if (value.endsWith('\r')) return 'docker drops a carriage return at the end'
      const bytes = utf8.encode(`${name}=${value}`).length
      return bytes > LINE_BYTES ? 'docker reads lines up to 64 KiB' : null
    },
    write: eachAs((name, value) => `${name}=${value}\n`),
  },
  /** A file for Docker Compose (`env_file:` and `.env`). Single quotes where the value needs no escape; otherwise
   * double quotes, in which Compose undoes escapes. */
  compose: {
    summary: 'a file for Docker Compose',
    asked: '.env',
    whyNot: (name, value) => {
      if (!isLiteralInCompose(value) && value.includes('\\$'))
        return 'Compose takes the backslash before $ for an escape'
      return NAME_RULES.compose(name)
    },
    write: eachAs(
      (name, value) => `${name}=${isLiteralInCompose(value) ? `'${value}'` : composeText(value)}\n`,
    ),
  },
  /** A file for systemd's `EnvironmentFile=`: everything in double quotes, in which systemd undoes a backslash before
   * \ " $ and a backtick. */
  systemd: {
    summary: 'a file for EnvironmentFile= of systemd',
    asked: '.env',
    whyNot: (name, value) => {
      if (NONCHARACTER.test(value)) return 'systemd drops the whole file for a Unicode noncharacter'
      if (CONTROL.test(value)) return 'systemd drops a value with control characters'
      return NAME_RULES.systemd(name)
    },
    write: eachAs((name, value) => `${name}="${value.replace(/[\\"$`]/g, String.raw`\$&`)}"\n`),
  },
  /** Lines for the file that `$GITHUB_ENV` names: each value between two lines with a delimiter that it does not
   * contain. */
  'github-actions': {
    summary: 'lines for the file that $GITHUB_ENV names',
    asked: '.env',
    whyNot: NAME_RULES['github-actions'],
    write: eachAs((name, value) => {
      const delimiter = delimiterFor(value)
      return `${name}<<${delimiter}\n${value}\n${delimiter}\n`
    }),
  },
}

// The sum begins with a text, so that it is a text.
function powershellText(value: string): string {
  const parts = value.split(/([^\x20-\x26\x28-\x7e])/).filter((part) => part !== '')
  const written = parts.map((part) => (BY_NUMBER.test(part) ? `[char]${part.charCodeAt(0)}` : `'${part}'`))
  return written[0]?.startsWith("'") === true ? written.join(' + ') : ["''", ...written].join(' + ')
}

// Compose takes \' for a quote, and changes CRLF.
function isLiteralInCompose(value: string): boolean {
  return !/['\r]|\\$/.test(value)
}

function composeText(value: string): string {
  return `"${value.replace(/[\\"$]/g, String.raw`\$&`).replaceAll('\r', String.raw`\r`)}"`
}

function delimiterFor(value: string): string {
  for (let number = 0; ; number++) {
    const delimiter = `KEYFERRY_END_${number}`
    if (!value.includes(delimiter)) return delimiter
  }
}
