import type { Format } from './format.ts'

const KEPT_NAMES = /^(?:GITHUB_|RUNNER_)/i

/** Lines for the file that `$GITHUB_ENV` names: each value between two lines with a delimiter that it does not hold. */
export const githubActions: Format = {
  whyNot: (name) => {
    if (KEPT_NAMES.test(name)) return 'the runner keeps names with GITHUB_ and RUNNER_ for itself'
    return name.toUpperCase() === 'NODE_OPTIONS' ? 'the runner refuses it' : null
  },
  write: (values) =>
    [...values]
      .map(([name, value]) => {
        const delimiter = delimiterFor(value)
        return `${name}<<${delimiter}\n${value}\n${delimiter}\n`
      })
      .join(''),
}

function delimiterFor(value: string): string {
  for (let number = 0; ; number++) {
    const delimiter = `KEYFERRY_END_${number}`
    if (!value.includes(delimiter)) return delimiter
  }
}
