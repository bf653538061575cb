import { useArming } from '../../../lib/page/arming.ts'
import { Button } from '../../../ui/button.tsx'

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
        {!active && fill !== null && (
          <span
            key={fill.round}
            aria-hidden
            className="fill absolute inset-0 origin-left"
            style={{ animationDuration: `${fill.ms}ms` }}
          />
        )}
        <span className="relative">{label}</span>
      </Button>
    </div>
  )
}
