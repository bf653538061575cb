import { eachAs, type Format } from '../format.ts'
import { NAME_RULES } from '../format-names.ts'
import { shellGrammar } from '../grammars/shell.ts'
import { isWholeNumber, NUMBERS_OF_SHELLS } from '../reserved-names.ts'

/** `export` lines for `eval "$(keyferry pull)"`. Single quotes keep every byte. */
export const sh: Format = {
  summary: 'export lines for sh, dash, bash, ksh and zsh',
  asked: 'sh',
  whyNot: (name, value) => {
    if (NUMBERS_OF_SHELLS.has(name) && !isWholeNumber(value)) return 'shells take only a number here'
    return NAME_RULES.sh(name)
  },
  write: eachAs((name, value) => `export ${name}='${value.replaceAll("'", String.raw`'\''`)}'\n`),
  grammar: shellGrammar,
}
