import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { Language, type Node, Parser } from 'web-tree-sitter'
import { TOOLS } from '../plumbing/test/programs.ts'
import { installScript } from '../web/server/client-files/install-script.ts'

const GRAMMAR = join(import.meta.dirname, '..', TOOLS, 'tree-sitter-powershell/tree-sitter-powershell.wasm')

// What Windows PowerShell 5.1 has without a module from elsewhere.
const COMMANDS = (
  'Get-ChildItem Get-FileHash Get-Item Get-ItemProperty Invoke-WebRequest Join-Path Move-Item New-Item New-Object ' +
  'Out-Null Remove-Item Set-ItemProperty Test-Path Where-Object Write-Host'
).split(' ')
const FILES = [
  { platform: 'windows-x64', name: 'keyferry-0.1.0-windows-x64.exe.gz', sha256: 'a'.repeat(64) },
  { platform: 'package', name: 'keyferry-0.1.0.tgz', sha256: 'b'.repeat(64) },
]

let parser: Parser

beforeAll(async () => {
  await Parser.init()
  parser = new Parser()
  parser.setLanguage(await Language.load(GRAMMAR))
})

async function parsedScript(origin: string): Promise<Node> {
  return parsed(await installScript('install.ps1', { origin, version: '0.1.0', files: FILES, signer: '' }))
}

function parsed(text: string): Node {
  const tree = parser.parse(text)
  if (tree === null) throw new Error('the parser has no language')
  return tree.rootNode
}

function textsOf(root: Node, type: string): string[] {
  return root.descendantsOfType(type).map(({ text }) => text)
}

test('it is PowerShell from the first line to the last', async () => {
  const root = await parsedScript('https://keyferry.example')
  expect(root.descendantsOfType('ERROR').map(({ startPosition, text }) => [startPosition.row, text])).toEqual(
    [],
  )
  expect(root.hasError).toBe(false)
})

test('it calls only what Windows PowerShell has, and never ends the window', async () => {
  const names = textsOf(await parsedScript('https://keyferry.example'), 'command_name')
  expect(names.length).toBeGreaterThan(15)
  expect(names.filter((name) => !COMMANDS.includes(name))).toEqual([])
})

test('what the server is called is a string, and adds no command', async () => {
  const origin = "https://x'; Remove-Everything; $(Remove-Everything) '"
  const [quiet, hostile] = await Promise.all(['https://x', origin].map(parsedScript))
  const names = [quiet, hostile].map((root) => (root === undefined ? [] : textsOf(root, 'command_name')))
  expect(hostile?.hasError).toBe(false)
  expect(names[1]).toEqual(names[0])
})

test('the lines that it prints for the PATH are PowerShell', async () => {
  const root = await parsedScript('https://keyferry.example')
  const printed = root
    .descendantsOfType('command')
    .filter(({ text }) => /^Write-Host ['"] {2}/.test(text))
    .map(({ text }) => text.slice("Write-Host '".length, -1).trim())
    .map((line) => line.replaceAll('`', '').replace(/'\$\(.*\)'\)/, "'C:\\folder')"))
  expect(printed).toHaveLength(3)
  for (const line of printed) expect(parsed(line).hasError, line).toBe(false)
})
