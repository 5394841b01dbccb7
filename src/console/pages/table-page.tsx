import { useMemo, useState } from 'preact/hooks'
import { isUnhealthy } from '../health.ts'
import { groupVersion, type Kind, resourcePath } from '../kinds.ts'
import type { LiveTable } from '../live-table.ts'
import { age } from '../objects.ts'
import { Failure, Loading, Note, PageHead } from '../parts.tsx'
import { objectHash, type Route } from '../route.ts'
import { ApiError } from '../session.ts'
import { type Column, chosenRows, type Row, type Sorting } from '../table-rows.ts'
import { useListKeys, useNow, useWantedRows } from '../use.ts'
import { useLiveTable } from '../use-live-table.ts'
import { showRow, useSeen } from '../window-rows.tsx'
import { TableFilters } from './table-filters.tsx'

const ROW_PX = 28
/** Time for which a changed row is highlighted. */
const MARKED_MS = 1_500

/** A collection of any kind, kept up to date. */
export function TablePage({ kind, route }: { readonly kind: Kind; readonly route: Route }) {
  const { namespace = '', labels = '' } = route.query
  const within = kind.namespaced ? namespace : ''
  const live = useLiveTable(resourcePath(kind, within), labels)
  return (
    <section class="page table-page" aria-label={kind.kind}>
      <PageHead title={kind.kind}>
        <span class="muted">
          <bdi>{groupVersion(kind)}</bdi>
        </span>
        <TableStatus live={live} />
      </PageHead>
      <TableFilters kind={kind} route={route} />
      {live === undefined || live.state === 'loading' ? (
        <Loading />
      ) : live.state === 'failed' ? (
        <Failure error={new ApiError(400, live.problem)} />
      ) : (
        <Rows kind={kind} live={live} route={route} showsNamespace={kind.namespaced && within === ''} />
      )}
    </section>
  )
}

function TableStatus({ live }: { readonly live: LiveTable | undefined }) {
  if (live === undefined) return null
  const count = `${live.rows.size.toLocaleString('en')}${live.isCut ? ' of more' : ''}`
  const words = { loading: 'loading', live: 'live', waiting: `trying again: ${live.problem}`, failed: 'failed' }[live.state]
  return (
    <span class={`status ${live.state}`} role="status">
      <span class="dot" aria-hidden="true" />
      {words} · {count}
    </span>
  )
}

/** Text for an empty table. It names the filters that the server applied. */
const emptyText = ({ kind }: Kind, { query: { namespace = '', labels = '' } }: Route): string =>
  `No ${kind}${namespace === '' ? '' : ` in ${namespace}`}${labels === '' ? '' : ` with the labels ${labels}`}.`

interface RowsProps {
  readonly kind: Kind
  readonly live: LiveTable
  readonly route: Route
  readonly showsNamespace: boolean
}

function Rows({ kind, live, route, showsNamespace }: RowsProps) {
  const now = useNow(1_000)
  const [sorting, setSorting] = useState<Sorting>()
  const [selected, setSelected] = useState<string>()
  const isWide = route.query.wide === '1'
  const text = route.query.text ?? ''
  const columns = useMemo(
    () => live.columns.map((column, at) => ({ column, at })).filter(({ column }) => isWide || column.priority === 0),
    [live.columns, isWide],
  )
  const rows = chosenRows(live.rows, text, sorting)
  const { scroller, seen } = useSeen(rows.length, ROW_PX)
  const at = selected === undefined ? -1 : rows.findIndex(([key]) => key === selected)
  const hrefOf = ({ object: { metadata } }: Row): string => objectHash(kind, metadata.namespace ?? '', metadata.name)
  useListKeys({
    move(by) {
      const next = Math.min(rows.length - 1, Math.max(0, at + by))
      setSelected(rows[next]?.[0])
      showRow(scroller.current, next, ROW_PX, ROW_PX)
    },
    open() {
      const row = rows[at]?.[1]
      if (row) location.hash = hrefOf(row)
    },
  })
  useWantedRows(rows.length > 0)
  if (rows.length === 0) return <Note title={live.rows.size === 0 ? emptyText(kind, route) : `No ${kind.kind} matches the text.`} />
  return (
    <div class="scroller" ref={scroller} tabIndex={0} role="region" aria-label={`${kind.kind}, ${rows.length} rows`}>
      <div class="all-rows" style={{ height: `${(rows.length + 1) * ROW_PX}px`, paddingTop: `${seen.first * ROW_PX}px` }}>
        <table class="rows" aria-rowcount={rows.length + 1}>
          <Head columns={columns} showsNamespace={showsNamespace} sorting={sorting} onSort={setSorting} />
          <tbody>
            {rows.slice(seen.first, seen.end).map(([key, row], i) => (
              <tr
                key={key}
                aria-rowindex={seen.first + i + 2}
                aria-current={key === selected ? 'true' : undefined}
                class={classOf(row, live.changedAt.get(key), isUnhealthy(live.columns, row))}
                onClick={() => setSelected(key)}
              >
                {showsNamespace && (
                  <td>
                    <bdi>{row.object.metadata.namespace}</bdi>
                  </td>
                )}
                {columns.map(({ column, at: index }) => (
                  <td key={column.name} class={column.type === 'integer' || column.type === 'number' ? 'number' : undefined}>
                    {index === 0 ? (
                      <a href={hrefOf(row)}>
                        <bdi>{short(row.object.metadata.name)}</bdi>
                        {isUnhealthy(live.columns, row) && <span class="unseen"> (not healthy)</span>}
                      </a>
                    ) : (
                      <bdi>{cellText(column, row, index, now)}</bdi>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

const classOf = (row: Row, changedAt: number | undefined, unhealthy: boolean): string =>
  [
    unhealthy ? 'unhealthy' : '',
    changedAt !== undefined && performance.now() - changedAt < MARKED_MS ? 'changed' : '',
    row.object.metadata.deletionTimestamp === undefined ? '' : 'going',
  ].join(' ')

/** Returns the text of a cell. Ages are computed here, because the server's are those of the time of its response. */
function cellText({ name }: Column, { cells, object: { metadata } }: Row, index: number, now: number): string {
  if (name === 'Age' && metadata.creationTimestamp !== undefined) return age(metadata.creationTimestamp, now)
  const cell = cells[index]
  return cell === null || cell === undefined ? '' : short(typeof cell === 'object' ? JSON.stringify(cell) : String(cell))
}

/** Longer cells are truncated. */
const LONGEST_CELL = 200
const short = (text: string): string => (text.length <= LONGEST_CELL ? text : `${text.slice(0, LONGEST_CELL)}…`)

interface HeadProps {
  readonly columns: readonly { readonly column: Column; readonly at: number }[]
  readonly showsNamespace: boolean
  readonly sorting: Sorting | undefined
  onSort(sorting: Sorting | undefined): void
}

const NAMESPACE: Column = { name: 'Namespace', type: 'string', description: 'Where the object is.', priority: 0 }

function Head({ columns, showsNamespace, sorting, onSort }: HeadProps) {
  const all = [...(showsNamespace ? [{ column: NAMESPACE, at: -1 }] : []), ...columns]
  return (
    <thead>
      <tr aria-rowindex={1}>
        {all.map(({ column, at }) => {
          const isSorted = sorting?.at === at
          const next = !isSorted ? { at, column, isDown: false } : sorting.isDown ? undefined : { at, column, isDown: true }
          return (
            <th key={column.name} scope="col" aria-sort={isSorted ? (sorting.isDown ? 'descending' : 'ascending') : undefined}>
              <button type="button" title={column.description} onClick={() => onSort(next)}>
                {column.name}
                <span aria-hidden="true">{isSorted ? (sorting.isDown ? ' ↓' : ' ↑') : ''}</span>
              </button>
            </th>
          )
        })}
      </tr>
    </thead>
  )
}
