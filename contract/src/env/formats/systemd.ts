import { eachAs, type Format } from '../format.ts'
import { NAME_RULES } from '../format-names.ts'

const CONTROL = /[^\P{Cc}\t\n]/u
const NONCHARACTER = /\p{Noncharacter_Code_Point}/u

/** A file for systemd's `EnvironmentFile=`: everything in double quotes, in which systemd undoes a backslash before
 * \ " $ and a backtick. */
export const systemd: Format = {
  summary: 'a file for EnvironmentFile= of systemd',
  asked: '.env',
  whyNot: (name, value) => {
    if (NONCHARACTER.test(value)) return 'systemd drops the whole file for a Unicode noncharacter'
    if (CONTROL.test(value)) return 'systemd drops a value with control characters'
    return NAME_RULES.systemd(name)
  },
  write: eachAs((name, value) => `${name}="${value.replace(/[\\"$`]/g, String.raw`\$&`)}"\n`),
  grammar: null,
}
