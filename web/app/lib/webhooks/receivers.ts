// oxlint-disable-next-line import/default -- ?raw imports the file as text
import node from '../../../../deploy/webhooks/receiver.mjs?raw'
import python from '../../../../deploy/webhooks/receiver.py?raw'
import ruby from '../../../../deploy/webhooks/receiver.rb?raw'

export type Language = 'node' | 'python' | 'ruby'

export const LANGUAGES: Readonly<Record<Language, string>> = {
  node: 'Node.js',
  python: 'Python',
  ruby: 'Ruby',
}

/** Programs that take webhooks and check their signatures. */
export const RECEIVERS: Readonly<Record<Language, { path: string; text: string }>> = {
  node: { path: 'receiver.mjs', text: node },
  python: { path: 'receiver.py', text: python },
  ruby: { path: 'receiver.rb', text: ruby },
}
