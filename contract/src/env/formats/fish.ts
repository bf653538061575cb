import { eachAs, type Format } from '../format.ts'
import { NAME_RULES } from '../format-names.ts'

/** `set -gx` lines for `keyferry pull --format fish | source`. */
export const fish: Format = {
  summary: 'set -gx lines for fish',
  asked: 'fish',
  whyNot: NAME_RULES.fish,
  write: eachAs((name, value) => `set -gx ${name} '${value.replace(/[\\']/g, String.raw`\$&`)}'\n`),
  grammar: null,
}
