import type { useSelection } from '../../lib/page/selection.ts'
import { ValueEditor } from '../../ui/cell-form/value-editor.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EntryLink, EntryName } from '../../ui/entry-name.tsx'
import { RowCheckbox } from '../../ui/selection/row-checkbox.tsx'
import { CellDetails } from './cells/cell-details.tsx'
import { CellView } from './cells/cell-view.tsx'
import { MissingEditor } from './cells/missing-editor.tsx'
import type { EnvironmentColumn } from './environment/environments.ts'
import { cellId, type MatrixRow } from './matrix-rows.ts'
import type { CellChanges } from './use-cell-changes.tsx'
import type { useMatrixKeys } from './use-matrix-keys.ts'

type VariableRowProps = {
  row: MatrixRow
  index: number
  isOpen: boolean
  current: { id: string }
  environments: readonly EnvironmentColumn[]
  selection: ReturnType<typeof useSelection>
  changes: CellChanges
  keys: ReturnType<typeof useMatrixKeys>
  /** The variable that was just added. */
  added: string | null
  /** The cells that are being edited. */
  edited: ReadonlySet<string>
  edit: (cell: string | null, closed?: string) => void
  toggle: (name: string) => void
  measure: (element: Element | null) => void
}

/** One variable: its name, and a cell for each environment. */
export function VariableRow(props: VariableRowProps) {
  const { row, index, isOpen, current, environments, selection, keys, edited, measure } = props
  const isChosen = selection.chosen.has(row.name)
  const isEdited = environments.some(({ id }) => edited.has(cellId(row.name, id)))
  return (
    <tr
      ref={measure}
      data-index={index}
      aria-rowindex={index + 2}
      className={classNames(
        'group max-sm:block max-sm:border-t max-sm:border-line max-sm:px-4 max-sm:py-1.5',
        props.added === row.name && 'fresh',
        isChosen ? 'bg-accent-soft' : isOpen || isEdited ? 'bg-sunken' : 'bg-surface',
      )}
    >
      <th
        scope="row"
        className={classNames(
          'text-left align-top font-normal max-sm:block sm:border-t sm:border-line',
          environments.length > 3 && 'sm:sticky sm:left-0 sm:bg-inherit',
        )}
      >
        <span className="flex min-h-10 items-center max-sm:min-h-6">
          <span
            className={classNames(
              'flex h-10 items-center overflow-hidden transition-opacity max-sm:-ml-3 max-sm:h-7',
              !isChosen &&
                'opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100',
            )}
          >
            <RowCheckbox
              name={row.name}
              checked={isChosen}
              onTick={(isRange) => selection.tick(row.name, isRange)}
              tabIndex={-1}
            />
          </span>
          <button
            type="button"
            data-at={`0 ${row.name}`}
            tabIndex={keys.place.name === row.name && keys.place.column === 0 ? 0 : -1}
            aria-expanded={isOpen}
            onClick={() => props.toggle(row.name)}
            className="min-h-8 min-w-0 flex-1 text-left font-mono font-medium -outline-offset-2 [overflow-wrap:anywhere]"
          >
            <EntryName name={row.name} />
          </button>
        </span>
        {isOpen && <RowNote {...props} />}
      </th>
      {environments.map((bundle, column) => (
        <td
          key={bundle.id}
          className={classNames(
            'p-0 align-top sm:border-t sm:border-l sm:border-line',
            bundle.id === current.id ? 'max-sm:block' : 'max-sm:hidden',
          )}
        >
          <Cell {...props} bundle={bundle} column={column} />
        </td>
      ))}
    </tr>
  )
}

function RowNote({ row: { cells }, current }: VariableRowProps) {
  const present = cells.flatMap(({ facts, key_id, bundle_id }) =>
    facts && key_id ? [{ facts, key_id, bundle_id }] : [],
  )
  const description = present.map(({ facts }) => facts.description).find((text) => text !== '')
  const linked = present.find(({ bundle_id }) => bundle_id === current.id) ?? present[0]
  return (
    <div className="space-y-1 pr-4 pb-3 text-ink-soft sm:pl-10">
      {description !== undefined && <p className="[overflow-wrap:anywhere]">{description}</p>}
      {linked !== undefined && (
        <p>
          <EntryLink
            href={`/keys/${linked.key_id}?bundle=${linked.bundle_id}`}
            name="History and holders"
            className="link"
          />
        </p>
      )}
    </div>
  )
}

type CellProps = VariableRowProps & { bundle: EnvironmentColumn; column: number }

function Cell({ row, bundle, column, isOpen, environments, changes, keys, edited, edit, toggle }: CellProps) {
  const cell = row.cells[column]
  if (cell === undefined) return null
  const id = cellId(row.name, bundle.id)
  const place = { name: row.name, column: column + 1 }
  const close = () => {
    edit(null, id)
    // The field is gone once the page is drawn again.
    requestAnimationFrame(() => keys.go(place))
  }
  const onEdit = mayEdit(cell, bundle) ? () => edit(id) : undefined
  const shown = { row, cell, bundle, column, environments }
  if (edited.has(id) && cell.state === 'missing')
    return <MissingEditor {...shown} changes={changes} onClose={close} />
  return (
    <>
      {edited.has(id) && cell.key_id !== null && cell.facts !== undefined ? (
        <ValueEditor
          keyId={cell.key_id}
          seen={seenOf(row.name, cell.key_id, cell.facts)}
          bundle={bundle}
          onDone={close}
        />
      ) : (
        <CellView
          {...shown}
          isStop={keys.place.name === row.name && keys.place.column === place.column}
          onEdit={onEdit}
          onOpen={() => toggle(row.name)}
        />
      )}
      {isOpen && cell.facts !== undefined && !edited.has(id) && (
        <CellDetails {...shown} facts={cell.facts} changes={changes} onEdit={onEdit} />
      )}
    </>
  )
}

/** What the table knows of a key before the server answers. */
function seenOf(name: string, id: string, facts: NonNullable<MatrixRow['cells'][number]['facts']>) {
  const { value, set_at: updated_at, set_by, ...known } = facts
  const plain = { is_template: false, template_parts: [], rotate_after_days: null, bundles: [] }
  return { ...known, ...plain, id, name, value: value ?? '', updated_at, updated_by_name: set_by.name }
}

// The server says it of each key, and of each bundle. A composed text is edited on its own page, which shows its parts.
function mayEdit(
  { state, facts, template_parts }: MatrixRow['cells'][number],
  bundle: EnvironmentColumn,
): boolean {
  if (state === 'missing') return bundle.may_edit
  return facts?.may_change === true && template_parts === undefined
}
