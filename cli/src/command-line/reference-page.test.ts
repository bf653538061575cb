import { join } from 'node:path'
import { expect, test } from 'vitest'
import { referencePage } from '../../test/reference-page.ts'
import { commands } from '../commands/commands.ts'
import { commandHelp } from './help.ts'

test('docs/commands.md is what the table of commands says', async () => {
  const path = join(import.meta.dirname, '../../../docs/commands.md')
  await expect(referencePage(commands)).toMatchFileSnapshot(path)
})

test.each([20, 40, 80, 120])('at %i columns, the help of a command has all that it says', (columns) => {
  for (const command of commands) {
    const words = commandHelp(command, columns).replaceAll(/\s+/g, ' ')
    for (const text of [...command.details, ...command.flags.flatMap(({ name, summary }) => [name, summary])])
      expect(words).toContain(text.replaceAll(/\s+/g, ' '))
  }
})
