import { type Format, isShellName } from './format.ts'

/** A file for systemd's `EnvironmentFile=`: everything in double quotes, in which it undoes a backslash before
 * \ " $ and a backtick. */
export const systemd: Format = {
  whyNot: (name, value) => {
    if (!isShellName(name)) return 'a name may not begin with a digit'
    return /[^\P{Cc}\t\n]/u.test(value) ? 'systemd drops a value with control characters' : null
  },
  write: (values) =>
    [...values].map(([name, value]) => `${name}="${value.replace(/[\\"$`]/g, '\\$&')}"\n`).join(''),
}
