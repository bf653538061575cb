import { eachAs, type Format } from '../format.ts'
import { NAME_RULES } from '../format-names.ts'

/** Lines for the file that `$GITHUB_ENV` names: each value between two lines with a delimiter that it does not
 * contain. */
export const githubActions: Format = {
  summary: 'lines for the file that $GITHUB_ENV names',
  asked: '.env',
  whyNot: NAME_RULES['github-actions'],
  write: eachAs((name, value) => {
    const delimiter = delimiterFor(value)
    return `${name}<<${delimiter}\n${value}\n${delimiter}\n`
  }),
  grammar: null,
}

function delimiterFor(value: string): string {
  for (let number = 0; ; number++) {
    const delimiter = `KEYFERRY_END_${number}`
    if (!value.includes(delimiter)) return delimiter
  }
}
