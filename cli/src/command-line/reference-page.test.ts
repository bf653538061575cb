import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from '../commands/commands.ts'
import { referencePage } from './reference-page.ts'

test('docs/commands.md is what the table of commands says', async () => {
  const path = join(import.meta.dirname, '../../../docs/commands.md')
  await expect(referencePage(commands)).toMatchFileSnapshot(path)
})
