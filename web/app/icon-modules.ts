import { join } from 'node:path'
import { icons as lucide } from '@iconify-json/lucide'
import type { Plugin } from 'vite'

const IMPORTED = /^lucide:[\w-]+$/
// Its end tells Vite that the module is JSX. The development server resolves it again.
const LOADED = /^lucide:([\w-]+)\.jsx$/

/** What `Icon` in ui/icon.tsx sets for all shapes. */
const FRAME =
  ' fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round" stroke-width="2"'
const COMPONENT = JSON.stringify(join(import.meta.dirname, 'ui/icon.tsx'))

/** Makes a component of each icon that the app imports: `lucide:eye` has the shapes of Lucide's `eye`. */
export const iconModules: Plugin = {
  name: 'icon-modules',
  resolveId: (id) => (IMPORTED.test(id) ? `${id}.jsx` : LOADED.test(id) ? id : undefined),
  load(id) {
    const name = LOADED.exec(id)?.[1]
    if (name === undefined) return undefined
    const shapes = lucide.icons[lucide.aliases?.[name]?.parent ?? name]?.body
    if (shapes === undefined) throw new Error(`Lucide has no icon ${name}`)
    return `import { Icon } from ${COMPONENT}
export const icon = (props) => <Icon {...props}>${shapes.replace(FRAME, '')}</Icon>`
  },
}
