import { type Format, isShellName } from './format.ts'

const READ_ONLY = new Set([
  '_',
  'FISH_VERSION',
  'PWD',
  'SHLVL',
  'argv',
  'fish_pid',
  'history',
  'hostname',
  'pipestatus',
  'status',
  'status_generation',
  'umask',
  'version',
])

/** `set -gx` lines for `keyferry pull --format fish | source`. */
export const fish: Format = {
  whyNot: (name) => {
    if (!isShellName(name)) return 'a name may not begin with a digit'
    return READ_ONLY.has(name) || name.startsWith('fish_') ? 'fish keeps this name for itself' : null
  },
  write: (values) =>
    [...values].map(([name, value]) => `set -gx ${name} '${value.replace(/[\\']/g, '\\$&')}'\n`).join(''),
}
