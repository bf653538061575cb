import { describe } from 'vitest'
import { describeInheritance } from './inherited-descriptors.ts'
import { CLIENT_PROGRAM } from './programs.ts'

describe.skipIf(process.platform !== 'linux')('what a program inherits through the package', () => {
  describeInheritance(() => `'${process.execPath}' '${CLIENT_PROGRAM}'`)
})
