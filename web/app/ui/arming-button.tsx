import type { useArming } from '../lib/page/arming.ts'

type Arming = Pick<ReturnType<typeof useArming>, 'active' | 'fill'>

/** Shows in a button how long a press does not count yet. The button is `relative overflow-clip`. */
export function ArmingFill({ active, fill }: Arming) {
  if (active || fill === null) return null
  const style = { animationDuration: `${fill.ms}ms` }
  return <span key={fill.round} aria-hidden className="fill absolute inset-0 origin-left" style={style} />
}
