import { useArming } from '../../lib/page/arming.ts'
import { ArmingButton } from '../arming-button.tsx'

type ArmedButtonProps = { label: string; size: 'small'; busy: boolean; onPress: () => void }

/** A red button for production, which counts a press only after a person could read it, as on the approval page. */
export function ArmedButton({ onPress, ...button }: ArmedButtonProps) {
  const { buttons, counts, ...arming } = useArming(button.label)
  return (
    <div ref={buttons}>
      <ArmingButton
        {...button}
        {...arming}
        look="danger"
        autoFocus
        onClick={(press) => counts(press) && onPress()}
      />
    </div>
  )
}
