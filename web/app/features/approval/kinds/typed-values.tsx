import { useState } from 'react'
import { visibleText } from '../../../lib/words/visible-text.ts'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { TriangleAlert } from '../../../ui/icons.ts'
import { Problem } from '../../../ui/notice.tsx'
import { ValueField } from '../../../ui/value-field.tsx'
import { Fact } from '../card.tsx'
import { useOneCall } from '../one-call.ts'
import type { GivenValue, Typing } from './use-typing.ts'

/** The names that the terminal requested and the bundle lacks, each with a field for its value. */
export function TypedValues(typing: Typing) {
  return typing.names.map((row) => <TypedRow key={row.name} {...typing} {...row} />)
}

type TypedRowProps = Typing & Typing['names'][number]

function TypedRow({ name, known, host, values, onChange, ...keeping }: TypedRowProps) {
  const [asked, setAsked] = useState<'no' | 'sure' | 'typing'>('no')
  const typed = values.get(name)
  if (typed === undefined && asked !== 'typing') {
    const isSure = asked === 'sure'
    const start = () => (known || isSure ? setAsked('typing') : setAsked('sure'))
    return (
      <Fact
        Icon={TriangleAlert}
        small={isSure && <WhoAsked host={host} />}
        action={
          <Button
            label={isSure ? 'Type it anyway' : 'Type its value'}
            size="small"
            className="self-start"
            onClick={start}
          />
        }
      >
        Requested, but not in this bundle: <span className="font-mono">{name}</span>
      </Fact>
    )
  }
  const cancel = () => {
    setAsked('no')
    onChange(name, null)
  }
  const value = typed ?? { name, value: '', is_secret: true, propose: false }
  return <TypedField {...{ value, known, host, onChange, cancel, ...keeping }} />
}

function WhoAsked({ host }: Pick<Typing, 'host'>) {
  return (
    <>
      This goes to <bdi className="font-mono">{visibleText(host)}</bdi>, which asked for it. No other
      environment of this application has this name.
    </>
  )
}

type TypedFieldProps = Omit<TypedRowProps, 'names' | 'values' | 'name'> & {
  value: GivenValue
  cancel: () => void
}

function TypedField({ value: typed, known, host, keep, bundle, onChange, onStore, cancel }: TypedFieldProps) {
  const { name, value, is_secret, propose } = typed
  const { busy, problem, attempt } = useOneCall<'store'>(({ message }) => message)
  const change = (changed: Partial<GivenValue>) => onChange(name, { ...typed, ...changed })
  const store = () => void attempt('store', () => onStore(typed))
  return (
    <div className="space-y-3 py-3">
      <p aria-hidden className="text-sm font-medium">
        Value of {name}
      </p>
      <ValueField
        label={`Value of ${name}`}
        value={value}
        isSecret={is_secret}
        onChange={(next) => change({ value: next })}
        onMark={(next) => change({ is_secret: next })}
        autoFocus
      />
      {!known && (
        <p className="text-xs text-ink-soft">
          <WhoAsked host={host} />
        </p>
      )}
      {keep === 'propose' && (
        <Checkbox
          className="flex items-center gap-3 text-sm"
          label="Also propose it to the owners"
          checked={propose}
          onChange={(next) => change({ propose: next })}
        />
      )}
      <div className="flex flex-wrap items-center gap-2 text-xs text-ink-soft">
        <p className="min-w-0 flex-1">Approve seals it for this terminal, once.</p>
        {keep === 'store' && (
          <Button
            label={`Store it in ${bundle.name}`}
            size="small"
            busy={busy === 'store'}
            disabled={value === ''}
            onClick={store}
          />
        )}
        <Button label="Leave it out" look="quiet" size="small" onClick={cancel} />
      </div>
      <Problem text={problem} />
    </div>
  )
}
