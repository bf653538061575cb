// Readers for formats whose real ones are not at hand, after their sources and manuals.

/** docker's env-file: lines, blanks before the name dropped, comments and empty lines skipped, all behind `=` as it
 * is. */
export function readDocker(text: string): Map<string, string> {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, '').replace(/^[ \t]+/, ''))
  const entries = lines.filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(entries.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

/** systemd's EnvironmentFile, as far as double quotes go: `parse_env_file_internal` of src/basic/env-file.c. */
export function readSystemd(text: string): Map<string, string> {
  const values = new Map<string, string>()
  const assignment = /([A-Za-z_]\w*)="((?:[^"\\]|\\[\s\S])*)"\n/y
  while (assignment.lastIndex < text.length) {
    const match = assignment.exec(text)
    if (match === null) throw new Error('systemd would ignore this line')
    const unquoted = (match[2] ?? '').replace(/\\([\s\S])/g, (whole, next: string) =>
      '"\\`$'.includes(next) ? next : next === '\n' ? '' : whole,
    )
    values.set(match[1] ?? '', unquoted)
  }
  return values
}

/** The runner's environment file: `EnvFileKeyValuePairs` of FileCommandManager.cs, on Linux. */
export function readGithubActions(text: string): Map<string, string> {
  const values = new Map<string, string>()
  const lines = text.split('\n')
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (line === '') continue
    const [name = '', delimiter] = line.split('<<')
    const end = lines.indexOf(delimiter ?? '', index + 1)
    if (delimiter === undefined || end === -1) throw new Error('the runner would fail here')
    values.set(name, lines.slice(index + 1, end).join('\n'))
    index = end
  }
  return values
}

/** PowerShell, as far as sums of single-quoted texts and `[char]` numbers go. */
export function readPowershell(text: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => {
      const [, name = '', sum = ''] = /^\$\{env:(\w+)\} = (.*)$/.exec(line) ?? []
      const rest = sum.replace(/'((?:[^'\u2018-\u201b]|'')*)'|\[char\](\d+)| \+ /g, '')
      if (name === '' || rest !== '') throw new Error(`PowerShell would read this otherwise: ${line}`)
      const parts = sum.matchAll(/'((?:[^']|'')*)'|\[char\](\d+)/g)
      return [
        name,
        [...parts].map(([, literal, code]) => literal ?? String.fromCharCode(Number(code))).join(''),
      ]
    }),
  )
}
