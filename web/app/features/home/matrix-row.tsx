import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Bundle } from '../../lib/calls/answers.ts'
import { applicationHref } from '../../lib/page/places.ts'
import { classNames } from '../../ui/class-names.ts'
import { EntryName } from '../../ui/entry-name.tsx'
import { EnvChip } from '../../ui/env-chip.tsx'
import { bundlesIn, descriptionOf, type HomeRow } from './home-rows.ts'

/** From so many environments on, the table scrolls sideways; on a phone each cell says its environment then. */
export const WIDE_FROM = 4
/** The grid of a row on a phone, by the number of environments. */
export const PHONE_ROWS = [
  'max-sm:grid-cols-1',
  'max-sm:grid-cols-1',
  'max-sm:grid-cols-2',
  'max-sm:grid-cols-3',
]

const HEAD = 'h-11 border-b border-line bg-surface px-4 text-left text-xs font-medium text-ink-faint'

/** The environments as heads of columns. */
export function MatrixHead({ environments }: { environments: readonly string[] }) {
  const isWide = environments.length >= WIDE_FROM
  const sticky = isWide ? 'max-sm:hidden' : 'sm:sticky sm:top-14 sm:z-10'
  return (
    <thead
      className={classNames(
        'max-sm:sticky max-sm:top-13 max-sm:z-10 max-sm:block',
        environments.length === 0 && 'max-sm:hidden',
      )}
    >
      <tr className={classNames('max-sm:grid', PHONE_ROWS[environments.length])}>
        <th
          scope="col"
          className={classNames(
            HEAD,
            sticky,
            'rounded-tl-lg max-sm:hidden sm:w-62 sm:min-w-40 sm:pl-6',
            isWide && 'sm:sticky sm:left-0',
          )}
        >
          Application
        </th>
        {environments.map((environment) => (
          <th
            key={environment}
            scope="col"
            className={classNames(
              HEAD,
              sticky,
              'last:rounded-tr-lg max-sm:nth-2:rounded-tl-lg sm:border-l max-sm:flex max-sm:items-center max-sm:px-3',
              isWide && 'min-w-72',
            )}
          >
            <EnvChip name={`${environment}/`} />
          </th>
        ))}
        {environments.length === 0 && (
          <th scope="col" className={classNames(HEAD, sticky, 'rounded-tr-lg sm:border-l')}>
            Variables and fetches
          </th>
        )}
      </tr>
    </thead>
  )
}

type MatrixRowProps = {
  row: HomeRow
  environments: readonly string[]
  isFirst: boolean
  focus: { 'data-cell': string; tabIndex: number }
  /** The cell of a bundle, or null, in a column. */
  children: (name: string, bundle: Bundle | null, column: number) => ReactNode
}

/** An application and its bundles, or one bundle whose name follows no environment. */
export function MatrixRow({ row, environments, isFirst, focus, children }: MatrixRowProps) {
  const line = isFirst ? '' : 'sm:border-t'
  const isWide = environments.length >= WIDE_FROM
  const first = bundlesIn(row)[0]
  return (
    <>
      <th
        scope="row"
        className={classNames(
          'border-line text-left font-normal max-sm:col-span-full max-sm:px-3 max-sm:pt-3',
          line,
          !isFirst && 'max-sm:border-t',
          isWide && 'bg-surface sm:sticky sm:left-0',
        )}
      >
        <Link
          {...focus}
          href={first === undefined ? '/' : applicationHref(first.name)}
          className="block -outline-offset-2 sm:py-1.5 sm:pr-4 sm:pl-6"
        >
          <EntryName name={row.name} className="block font-mono font-medium [overflow-wrap:anywhere]" />
          <span className="line-clamp-1 text-xs text-ink-faint max-sm:hidden">{descriptionOf(row)}</span>
        </Link>
      </th>
      {row.kind === 'bundle' ? (
        <td
          colSpan={Math.max(1, environments.length)}
          className={classNames('border-line p-0 max-sm:col-span-full sm:border-l', line)}
        >
          {children(row.name, row.bundle, 1)}
        </td>
      ) : (
        row.cells.map((bundle, at) => {
          const environment = environments[at] ?? ''
          return (
            <td
              key={environment}
              className={classNames(
                'border-line p-0 sm:border-l',
                line,
                isWide && bundle === null && 'max-sm:hidden',
              )}
            >
              {isWide && (
                <span className="pt-2 pl-3 sm:hidden">
                  <EnvChip name={`${environment}/`} />
                </span>
              )}
              {children(`${environment}/${row.name}`, bundle, at + 1)}
            </td>
          )
        })
      )}
    </>
  )
}
