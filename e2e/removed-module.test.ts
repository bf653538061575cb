import { expect, test } from 'vitest'
import { CopyWithout, REMOVABLE } from './removed-module.ts'

const ALL = Object.keys(REMOVABLE)

// `npm run faults -- modules` checks the types of the copies too.
test.each(process.env['TRIALS'] ? ALL : ['machines', 'watch'])(
  'without the folders of %s and its lines in the lists, the rest delivers',
  async (module) => {
    using copy = new CopyWithout(module)
    const { output, isGone } = await copy.deliver()
    expect(output).toContain('delivered without it\n')
    expect(isGone).toBe(true)
  },
)
