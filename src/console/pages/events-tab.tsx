import { ColumnHeads } from '../column-heads.tsx'
import { age } from '../objects.ts'
import { Failure, Loading, Note } from '../parts.tsx'
import { callJson } from '../session.ts'
import { useFetched, useNow } from '../use.ts'
import type { TabProps } from './tab-props.ts'

/** Members of an Event of core/v1 that the table shows. */
interface CoreEvent {
  readonly metadata: { readonly uid: string; readonly creationTimestamp?: string }
  /** `Normal` or `Warning`. */
  readonly type?: string
  readonly reason?: string
  readonly message?: string
  /** Times that the event occurred. Omitted for events of the newer API. */
  readonly count?: number
  /** Null in events of the newer API, which have `eventTime`. */
  readonly lastTimestamp?: string | null
  /** Null in events of the older API. */
  readonly eventTime?: string | null
  /** Component that reported the event, in the older API. */
  readonly source?: { readonly component?: string }
  /** Component that reported the event, in the newer API. */
  readonly reportingComponent?: string
}

/** Limit for the events of the request. The server's order decides which ones they are. */
const MOST = 500

/** Events of an object, newest first. */
export function EventsTab({ object: { metadata } }: TabProps) {
  const now = useNow(1_000)
  const { value, error } = useFetched(
    signal => {
      const query = new URLSearchParams({ fieldSelector: `involvedObject.uid=${metadata.uid ?? ''}`, limit: String(MOST) })
      return callJson<{ readonly items: readonly CoreEvent[] | null }>(`/api/v1/events?${query}`, { signal })
    },
    [metadata.uid],
  )
  if (error) return <Failure error={error} />
  if (value === undefined) return <Loading />
  const events = (value.items ?? [])
    .map(event => ({ ...event, at: event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '' }))
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
  if (events.length === 0) return <Note title="No events about this object." />
  return (
    <div class="scroller" tabIndex={0} role="region" aria-label="Events">
      <table class="plain">
        <ColumnHeads names={['Last seen', 'Type', 'Reason', 'Times', 'From', 'Message']} />
        <tbody>
          {events.map(event => (
            <tr key={event.metadata.uid} class={event.type === 'Warning' ? 'warning' : ''}>
              <td>{age(event.at, now)}</td>
              <td>{event.type}</td>
              <td>
                <bdi>{event.reason}</bdi>
              </td>
              <td class="number">{event.count ?? 1}</td>
              <td>
                <bdi>{event.source?.component || event.reportingComponent}</bdi>
              </td>
              <td class="wrap">
                <bdi>{event.message?.slice(0, 2_000)}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
