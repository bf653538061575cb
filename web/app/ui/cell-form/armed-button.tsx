import { useArming } from '../../lib/page/arming.ts'
import { ArmingFill } from '../arming-fill.tsx'
import { Button } from '../button.tsx'

type ArmedButtonProps = { label: string; size: 'small'; busy: boolean; onPress: () => void }

/** A red button for production, which counts a press only after a person could read it, as on the approval page. */
export function ArmedButton({ label, size, busy, onPress }: ArmedButtonProps) {
  const { active, fill, buttons, counts } = useArming(label)
  return (
    <div ref={buttons}>
      <Button
        size={size}
        look="danger"
        aria-disabled={!active}
        busy={busy}
        autoFocus
        className="relative overflow-clip"
        onClick={(press) => counts(press) && onPress()}
      >
        <ArmingFill active={active} fill={fill} />
        <span className="relative">{label}</span>
      </Button>
    </div>
  )
}
