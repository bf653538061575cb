type RowCheckboxProps = {
  name: string
  checked: boolean
  onTick: (isRange: boolean) => void
  tabIndex?: number
}

/** The checkbox before a row. With Shift it ticks all rows from the last one. */
export function RowCheckbox({ name, checked, onTick, tabIndex }: RowCheckboxProps) {
  return (
    <label className="flex h-11 w-10 shrink-0 items-center justify-center self-center print:invisible print:w-4">
      <input
        type="checkbox"
        className="checkbox"
        tabIndex={tabIndex}
        aria-label={`Select ${name}`}
        checked={checked}
        readOnly
        onClick={({ shiftKey }) => onTick(shiftKey)}
      />
    </label>
  )
}
